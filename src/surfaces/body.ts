/** From the bytes of a POST to its JSON value: size, encoding, JSON. */
import { readBytes } from '../protocol/body.ts'
import { decodeUtf8 } from '../protocol/bytes.ts'
import { PARSE_ERROR, RpcError } from '../protocol/json-rpc.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024

/** The JSON value of a body: 413 when too large, −32700 (400) when it is not JSON in UTF-8. */
export async function readJson(request: Request): Promise<unknown> {
  const text = decodeUtf8(await readBytes(request, MAX_BODY_BYTES))
  if (text === undefined) throw new RpcError(PARSE_ERROR, 'Parse error: not UTF-8', { status: 400 })
  try {
    return JSON.parse(text)
  } catch {
    throw new RpcError(PARSE_ERROR, 'Parse error: not JSON', { status: 400 })
  }
}
