/** Reading an answer's body, up to a size and no further, and its bytes as text. */
import { concat } from '../protocol/bytes.ts'

export type BoundedBody = { bytes: Uint8Array<ArrayBuffer>; isCut: boolean }

/** The bytes of a body up to a limit; beyond it the rest is cancelled and `isCut` is true. */
export async function readBounded(
  { body }: Pick<Response, 'body'>,
  limitBytes: number,
): Promise<BoundedBody> {
  if (body === null) return { bytes: new Uint8Array(), isCut: false }
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

/** The text of bytes by the charset of their media type; UTF-8 with marks for what is none. */
export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const [, label = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '') ?? []
  return decoderOf(label).decode(bytes)
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder() // a charset nobody knows
  }
}
