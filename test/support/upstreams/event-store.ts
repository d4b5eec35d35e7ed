/** Events of session-era streams, kept so that a client can take a stream up; fits both SDKs. */

type Sending<Message> = { send: (id: string, message: Message) => Promise<void> }

/** An empty store; ids name their stream, and only the stream of an id is replayed. */
export function createEventStore<Message>() {
  const events: { id: string; stream: string; message: Message }[] = []
  return {
    storeEvent(stream: string, message: Message): Promise<string> {
      const id = `${stream}_${events.length}`
      events.push({ id, stream, message })
      return Promise.resolve(id)
    },
    getStreamIdForEventId: (id: string): Promise<string | undefined> =>
      Promise.resolve(events.find((event) => event.id === id)?.stream),
    async replayEventsAfter(last: string, { send }: Sending<Message>): Promise<string> {
      const start = events.findIndex(({ id }) => id === last)
      const stream = events[start]?.stream ?? ''
      for (const event of events.slice(start + 1)) {
        if (event.stream === stream) await send(event.id, event.message)
      }
      return stream
    },
  }
}
