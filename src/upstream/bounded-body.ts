/** Reading an answer's body, up to a size and no further, and its bytes as text. */
import { concat } from '../protocol/bytes.ts'

const UTF8 = new TextDecoder()

export type BoundedBody = { bytes: Uint8Array<ArrayBuffer>; isCut: boolean }

/** The bytes of a body up to a limit; beyond it the rest is cancelled and `isCut` is true. */
export async function readBounded(
  response: Pick<Response, 'body' | 'headers' | 'arrayBuffer'>,
  limitBytes: number,
): Promise<BoundedBody> {
  const { body, headers } = response
  if (body === null) return { bytes: new Uint8Array(), isCut: false }
  if (isKnownToFit(headers, limitBytes)) {
    return { bytes: new Uint8Array(await response.arrayBuffer()), isCut: false }
  }
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const parts: Uint8Array[] = []
  let left = limitBytes
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { bytes: concat(parts), isCut: false }
    parts.push(value.subarray(0, left))
    left -= value.length
    if (left >= 0) continue
    await reader.cancel()
    return { bytes: concat(parts), isCut: true }
  }
}

/**
 * Whether a body has told its length and that fits: HTTP holds it to that, so it can be read whole, at
 * half the cost. A compressed one may come out longer than it says.
 */
export function isKnownToFit(headers: Headers, limitBytes: number): boolean {
  const length = headers.get('content-length')
  return length !== null && Number(length) <= limitBytes && !headers.has('content-encoding')
}

/** The text of bytes by the charset of their media type; UTF-8 with marks for what is none. */
export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const label = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1]
  return (label === undefined ? UTF8 : decoderOf(label)).decode(bytes)
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return UTF8 // a charset nobody knows
  }
}
