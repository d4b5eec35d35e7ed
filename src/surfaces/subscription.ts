/**
 * The messages of a `subscriptions/listen` stream (`mcp-protocol.md` §4.6), each with the id of the
 * request that opened it.
 */
import { isObject, type RequestId } from '../protocol/json-rpc.ts'
import { formatEvent } from '../protocol/sse.ts'
import { formatNotification } from './notifications.ts'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

/** A client may have read KV's old copy after a notice: it is told again when that is past. */
export const KV_WINDOW_MS = 65_000

/** Params of a notification, with the stream's id. */
export function tagged(id: RequestId, params: Readonly<Record<string, unknown>>) {
  return { ...params, _meta: { [SUBSCRIPTION]: id } }
}

/** The first event: what of the filter is honoured. */
export function formatAcknowledgement(
  id: RequestId,
  notifications: Readonly<Record<string, unknown>>,
): string {
  const params = tagged(id, { notifications })
  return formatNotification('notifications/subscriptions/acknowledged', params)
}

/** The result that ends a stream in order; `members` are what every complete result has. */
export function formatFarewell(
  id: RequestId,
  { _meta, ...members }: Readonly<Record<string, unknown>>,
): string {
  const result = { ...members, _meta: { ...(isObject(_meta) && _meta), [SUBSCRIPTION]: id } }
  return formatEvent({ data: JSON.stringify({ jsonrpc: '2.0', id, result }) })
}
