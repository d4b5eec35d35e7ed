/** Reading an answer's body, up to a size and no further, as bytes or as text. */
import { concat } from '../protocol/bytes.ts'

const UTF8 = new TextDecoder()

/** A body as bytes; `isCut` where there was more. */
export type BoundedBody = { bytes: Uint8Array<ArrayBuffer>; size: number; isCut: boolean }

type Answer = Pick<Response, 'body' | 'headers' | 'arrayBuffer' | 'text'>

/** The bytes of a body up to a limit; beyond it the rest is cancelled. */
export async function readBounded(
  response: Omit<Answer, 'text'>,
  limitBytes: number,
): Promise<BoundedBody> {
  const { body, headers } = response
  if (body === null) return bounded(new Uint8Array())
  if (lengthThatFits(headers, limitBytes) !== undefined) {
    return bounded(new Uint8Array(await response.arrayBuffer()))
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const parts: Uint8Array[] = []
  let left = limitBytes
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bounded(concat(parts))
    parts.push(value.subarray(0, left))
    left -= value.length
    if (left >= 0) continue
    await reader.cancel()
    return bounded(concat(parts), true)
  }
}

function bounded(bytes: Uint8Array<ArrayBuffer>, isCut = false): BoundedBody {
  return { bytes, size: bytes.length, isCut }
}

/**
 * The length of a body that has told it, where that fits; else undefined. HTTP holds it to that, so it
 * can be read whole, at half the cost. A compressed one may come out longer than it says.
 */
export function lengthThatFits(headers: Headers, limitBytes: number): number | undefined {
  const length = headers.get('content-length')
  const isKnown = length !== null && Number(length) <= limitBytes
  return isKnown && !headers.has('content-encoding') ? Number(length) : undefined
}

/** A body as text, with its size in bytes; `isCut` where there was more. */
export type BoundedText = { text: string; size: number; isCut: boolean }

/**
 * The text of a body by the charset of its media type; UTF-8 with marks for what is none. Beyond the
 * limit the rest is cancelled.
 */
export function readText(response: Answer, limitBytes: number): Promise<BoundedText> {
  const { headers } = response
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers.get('content-type') ?? '')?.[1]
  const isUtf8 = charset === undefined || /^utf-?8$/i.test(charset)
  const size = isUtf8 ? lengthThatFits(headers, limitBytes) : undefined
  if (size !== undefined) return response.text().then((text) => ({ text, size, isCut: false }))
  return readDecoded(response, limitBytes, isUtf8 ? UTF8 : decoderOf(charset))
}

async function readDecoded(
  response: Answer,
  limitBytes: number,
  decoder: TextDecoder,
): Promise<BoundedText> {
  const { bytes, size, isCut } = await readBounded(response, limitBytes)
  return { text: decoder.decode(bytes), size, isCut }
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return UTF8 // a charset nobody knows
  }
}
