/** From the bytes of a POST to its messages: size, encoding, JSON, and arrays where they may be. */
import { readBytes } from '../../protocol/body.ts'
import { decodeUtf8 } from '../../protocol/bytes.ts'
import { CLAIM } from '../../protocol/envelope.ts'
import { INVALID_REQUEST, isObject, PARSE_ERROR, RpcError } from '../../protocol/json-rpc.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024
export const MAX_BATCH_LENGTH = 50 // each message may call an upstream

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

/**
 * The messages of an array (`surfaces.md` D2), which 2025-03-26 alone has: the session's revision,
 * or else the header's, or else none at all. Everything else is −32600 (400).
 */
export function requireBatch(
  batch: readonly unknown[],
  headers: Headers,
  negotiated: string | undefined,
): readonly unknown[] {
  const refuse = (message: string) => new RpcError(INVALID_REQUEST, message, { status: 400 })
  if (batch.length === 0) throw refuse('An empty batch')
  if (batch.some(isClaiming)) throw refuse('This revision has no batches')
  const revision = negotiated ?? headers.get('mcp-protocol-version') ?? '2025-03-26'
  if (revision !== '2025-03-26') throw refuse('This revision has no batches')
  if (batch.length > MAX_BATCH_LENGTH) throw refuse(`A batch may have ${MAX_BATCH_LENGTH} messages`)
  return batch
}

function isClaiming(value: unknown): boolean {
  if (!isObject(value) || !isObject(value['params'])) return false
  const meta = value['params']['_meta']
  return isObject(meta) && CLAIM in meta
}
