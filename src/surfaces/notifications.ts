/** Notifications of changes, as events of a client's stream (`mcp-protocol.md` §3.4, §4.6). */
import { formatEvent } from '../protocol/sse.ts'

type Params = Readonly<Record<string, unknown>>

/** The notification for each kind of list. */
const CHANGED: Readonly<Record<string, string>> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
}

/** The event of a notification. */
export function formatNotification(method: string, params: Params): string {
  return formatEvent({ data: JSON.stringify({ jsonrpc: '2.0', method, params }) })
}

/** The event that tells of another list of a kind. */
export function formatListChange(kind: string, params: Params): string {
  return formatNotification(CHANGED[kind] ?? '', params)
}

/** The event that tells of other contents at a URI. */
export function formatUpdate(uri: string, params: Params): string {
  return formatNotification('notifications/resources/updated', { uri, ...params })
}
