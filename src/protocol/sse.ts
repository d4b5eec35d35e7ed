/**
 * Server-sent events as we write them. Data is JSON on one line; other line ends would cut an event
 * in two and are refused in ids.
 */

/** The headers of every event stream: nothing between may keep it back or keep it (§4.1). */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/** What stands before the JSON of a message event; a blank line ends it. */
export const EVENT_OPENING = 'event: message\ndata: '
export const EVENT_CLOSING = '\n\n'

export type Event = {
  /** One line of JSON; empty for an event that only carries an id. */
  data: string
  id?: string | undefined
  /** How long a client should wait before it comes back, in milliseconds. */
  retryMs?: number | undefined
}

/** The text of one event. */
export function formatEvent({ data, id, retryMs }: Event): string {
  for (const text of [data, id ?? '']) {
    if (/[\r\n]/.test(text)) throw new TypeError('a line end cannot stand in an event')
  }
  return [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retryMs === undefined ? [] : [`retry: ${retryMs}`]),
    ...(data === '' ? ['data:'] : ['event: message', `data: ${data}`]),
    '\n',
  ].join('\n')
}

/** A line that a client skips; it keeps a silent stream open. */
export function formatComment(text: string): string {
  return `: ${text}\n\n`
}

/** What the specification has a client send, and most do. */
const USUAL_ACCEPT = 'application/json, text/event-stream'

/** Whether a client takes an event stream: it names that type. */
export function acceptsEventStream(accept: string | null): boolean {
  if (accept === USUAL_ACCEPT) return true
  return (accept ?? '')
    .toLowerCase()
    .split(',')
    .some((range) => range.split(';', 1)[0]?.trim() === 'text/event-stream')
}
