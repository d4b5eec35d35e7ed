/** From the bytes of a POST to its JSON value: size, encoding, JSON. */
import { readBytes } from '../protocol/body.ts'
import { decodeUtf8 } from '../protocol/bytes.ts'
import { PARSE_ERROR, RpcError } from '../protocol/json-rpc.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024

/** The bytes of a body, or 413 when they are too many. */
export function readBody(request: Request): Promise<Uint8Array> {
  return readBytes(request, MAX_BODY_BYTES)
}

/** The JSON value of a body, or −32700 (400) when it is not JSON in UTF-8. */
export function parseJson(body: Uint8Array): unknown {
  const text = decodeUtf8(body)
  if (text === undefined) throw new RpcError(PARSE_ERROR, 'Parse error: not UTF-8', { status: 400 })
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError(PARSE_ERROR, 'Parse error: not JSON', { status: 400 })
  }
}
