/** Tools that talk and wait before they answer, and what tests do with the streams of calls. */
import assert from 'node:assert/strict'
import type { EventStream } from './event-stream.ts'
import { legacy, modern, modernHeaders } from './messages.ts'
import { openStream } from './event-stream.ts'
import { tool } from './servers.ts'

export const LIST_CHANGED = 'notifications/tools/list_changed'
export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

export const log = (data: unknown) => ({ log: { level: 'info', data } })

/** A tool that goes through steps, and then answers that it is done. */
export function talking(name: string, ...steps: readonly object[]) {
  const result = { content: [{ type: 'text', text: `${name} done` }] }
  return tool(name, { handler: { kind: 'static', result, steps } })
}

/** Says that it has begun, and does not come to an end while a test runs. */
export const ENDLESS = talking('endless', log('begun'), { waitMs: 60_000 }, log('too late'))

/** A call in a session. */
export const call = (name: string, id: string | number = 1, meta?: object) =>
  legacy('tools/call', { name, ...(meta && { _meta: meta }) }, id)

/** The notification that cancels a request. */
export const cancelled = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason: 'a test' },
})

/** The request of a `subscriptions/listen`. */
export function listenRequest(
  filter: unknown,
  id: string | number = 1,
  headers: Record<string, string> = {},
) {
  return {
    method: 'POST',
    headers: {
      ...modernHeaders('subscriptions/listen'),
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(modern('subscriptions/listen', { notifications: filter }, {}, id)),
  }
}

/** Opens a `subscriptions/listen` for tools, and takes its acknowledgement. */
export async function listenTo(
  url: string,
  id: string | number = 1,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const stream = await openStream(url, listenRequest({ toolsListChanged: true }, id, headers))
  assert.equal(stream.status, 200)
  assert.match((await stream.message()).method, /acknowledged$/)
  return stream
}

/** The next things on a stream are these many keepalives, and no message. */
export async function requireSilence(stream: EventStream, keepalives = 2): Promise<void> {
  for (let n = 0; n < keepalives; n++) {
    assert.deepEqual(await stream.nextAny(), { comment: 'keepalive' })
  }
}

/** The messages of the rest of a stream: those with data, parsed. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
export async function messagesOf(stream: EventStream): Promise<any[]> {
  const events = await stream.rest()
  return events.flatMap(({ data }) => (data ? [JSON.parse(data)] : []))
}
