/** A client that holds a session's own stream open and does nothing else: a bare socket. */
import { connect } from 'node:net'
import type { Target } from './load.ts'

const CHANGED = 'notifications/tools/list_changed'
const OPENED = ': open\n\n'

export type IdleStream = {
  /** Settles with the time at which the next change is told of. */
  nextChange(): Promise<number>
  close(): void
}

/** Opens the stream of a session, which must begin as it should. */
export async function openIdleStream(
  { url, path }: Pick<Target, 'url' | 'path'>,
  session: string,
): Promise<IdleStream> {
  const socket = connect({ host: url.hostname, port: Number(url.port) })
  let unread = ''
  let wanted = OPENED
  let found: (at: number) => void = () => {}
  let failed: (error: Error) => void = () => {}
  const look = (): void => {
    const at = unread.indexOf(wanted)
    if (at < 0) return
    unread = unread.slice(at + wanted.length)
    found(performance.now())
  }
  const until = (text: string): Promise<number> =>
    new Promise((resolve, reject) => {
      wanted = text
      found = resolve
      failed = reject
      look()
    })
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    unread += text
    look()
  })
  socket.on('error', (error) => failed(error))
  socket.on('close', () => failed(new Error(`the stream ended: ${unread}`)))
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\naccept: text/event-stream\r\n` +
      `mcp-session-id: ${session}\r\n\r\n`,
  )
  await until(OPENED)
  return { nextChange: () => until(CHANGED), close: () => socket.destroy() }
}
