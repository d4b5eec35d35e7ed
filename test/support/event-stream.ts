/** An event stream as a test reads it: event by event, waiting for each. */

export type ReceivedEvent = {
  id?: string
  event?: string
  data?: string
  retry?: string
  comment?: string
}

export type EventStream = {
  status: number
  headers: Headers
  /** The next event that is no comment; undefined when the stream has ended. */
  next(): Promise<ReceivedEvent | undefined>
  /** The next thing at all, comments too. */
  nextAny(): Promise<ReceivedEvent | undefined>
  /** The JSON of the next event that has data; undefined when the stream has ended. */
  message(): Promise<any> // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
  /** Everything up to the end, comments left out. */
  rest(): Promise<ReceivedEvent[]>
  /** Leaves, as a client that goes away. */
  close(): void
}

/** Opens a stream; an answer in JSON is a stream of that one message, a refusal one that has ended. */
export async function openStream(url: string, init: RequestInit = {}): Promise<EventStream> {
  const abort = new AbortController()
  const response = await fetch(url, { ...init, signal: abort.signal })
  const isJson = response.ok && response.headers.get('content-type') === 'application/json'
  const reader = isJson
    ? undefined
    : response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = isJson ? `data: ${await response.text()}\n\n` : ''
  const nextAny = async (): Promise<ReceivedEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        return parseBlock(block)
      }
      const read = await reader?.read()
      if (read === undefined || read.done) return undefined
      text += read.value
    }
  }
  const next = async (): Promise<ReceivedEvent | undefined> => {
    for (;;) {
      const event = await nextAny()
      if (event === undefined || event.data !== undefined || event.id !== undefined) return event
    }
  }
  const stream: EventStream = {
    status: response.status,
    headers: response.headers,
    nextAny,
    next,
    async message() {
      for (;;) {
        const event = await next()
        if (event === undefined) return undefined
        if (event.data) return JSON.parse(event.data)
      }
    },
    async rest() {
      const events: ReceivedEvent[] = []
      for (let event = await next(); event !== undefined; event = await next()) events.push(event)
      return events
    },
    close: () => abort.abort(),
  }
  return stream
}

function parseBlock(block: string): ReceivedEvent {
  const event: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([a-z]*):? ?(.*)$/s.exec(line) ?? []
    if (name === '') event['comment'] = value
    else if (name !== undefined) event[name] = value
  }
  return event
}
