/**
 * The load: a fixed number of requests over a few keep-alive HTTP/1.1 connections, each of which sends
 * its next message when its answer is whole. Every answer must have the expected status and length, so
 * that a contender cannot win with a refusal. Bodies are counted, not kept.
 */
import { connect, type Socket } from 'node:net'

const READ_BYTES = 256 * 1024
const HEADER_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = '\r\n0\r\n\r\n'
const FIRST_ID = 1_000_000 // ids have seven digits, so all answers are of one length

/** What is POSTed, and the answer it must get. */
export type Message = {
  headers: Readonly<Record<string, string>>
  /** The message with this id, as JSON. */
  body: (id: number) => string
  status: number
  answerBytes: number
  /** The answer comes in chunks, as streams do: it ends with the last one, and is no shorter. */
  isStream?: boolean
}

export type Target = {
  url: URL
  path: string
  /** A request is one message, or several in turn; a session the first one opens is that of the rest. */
  messages: readonly [Message, ...Message[]]
  /** Sessions to send them in, which the connections take in turn. */
  sessions?: readonly string[]
}

export type Load = { wallMs: number; latenciesMs: number[] }

export type Crowd = {
  /** Sends this many requests, and settles when the last answer is whole. */
  send(requests: number): Promise<Load>
  close(): void
}

/** Opens `connections` to a target; they are closed by `close` alone. */
export async function openCrowd(target: Target, connections: number): Promise<Crowd> {
  let nextId = FIRST_ID
  const takeId = (): number => nextId++
  const { sessions = [] } = target
  const lines = await Promise.all(
    Array.from({ length: connections }, (_, index) =>
      openLine(target, sessions[index % sessions.length], takeId),
    ),
  )
  return {
    async send(requests) {
      const latenciesMs: number[] = []
      const started = performance.now()
      let left = requests
      const take = (): boolean => left-- > 0
      await Promise.all(lines.map((line) => line.run(take, latenciesMs)))
      return { wallMs: performance.now() - started, latenciesMs }
    },
    close: () => lines.forEach((line) => line.socket.destroy()),
  }
}

type Line = {
  socket: Socket
  run(take: () => boolean, latenciesMs: number[]): Promise<void>
}

async function openLine(
  target: Target,
  session: string | undefined,
  takeId: () => number,
): Promise<Line> {
  let onData: (chunk: Buffer) => void = () => {}
  let onEnd: (error: Error) => void = () => {}
  const socket = connect({
    host: target.url.hostname,
    port: Number(target.url.port),
    noDelay: true,
    // One buffer for all reads: the bench must not spend its time on garbage of its own.
    onread: {
      buffer: Buffer.alloc(READ_BYTES),
      callback: (length, buffer) => {
        onData(Buffer.from(buffer.buffer, buffer.byteOffset, length))
        return true
      },
    },
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', (error) => onEnd(error))
  socket.on('close', () => onEnd(new Error('the connection was closed')))
  const run: Line['run'] = (take, latenciesMs) =>
    new Promise((resolve, reject) => {
      const { messages } = target
      let at = 0 // which of the messages is under way
      let began = 0
      let current = session
      let awaited = 0 // bytes of the answer that are still to come; 0 before its headers
      let tail = '' // the end of a stream so far
      const message = (): Message => messages[at] ?? messages[0]
      const send = (): void => {
        if (at === 0) {
          if (!take()) return resolve()
          began = performance.now()
          current = session
        }
        socket.write(formatRequest(target, message(), takeId(), current))
      }
      onEnd = reject
      onData = (chunk) => {
        try {
          if (awaited === 0) {
            const answer = readAnswer(chunk, message())
            awaited = answer.bytes
            current ??= answer.session
          }
          awaited -= chunk.length
          if (message().isStream) {
            tail = (tail + chunk.toString('latin1')).slice(-LAST_CHUNK.length)
            const isWhole = tail === LAST_CHUNK
            if (isWhole && awaited > 0) throw new Error(`the stream is ${awaited} bytes short`)
            awaited = isWhole ? 0 : Math.max(awaited, 1)
          }
        } catch (error) {
          return reject(error)
        }
        if (awaited > 0) return
        at = (at + 1) % messages.length
        if (at === 0) latenciesMs.push(performance.now() - began)
        send()
      }
      send()
    })
  return { socket, run }
}

/** Of the answer that begins with this chunk: its bytes, headers and body, and the session it opens. */
function readAnswer(
  chunk: Buffer,
  { status, answerBytes, isStream }: Message,
): { bytes: number; session: string | undefined } {
  const end = chunk.indexOf(HEADER_END)
  const head = chunk.toString('latin1', 0, end < 0 ? chunk.length : end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  const isLong = isStream ? length === undefined : Number(length) === answerBytes
  if (end < 0 || !head.startsWith(`HTTP/1.1 ${status} `) || !isLong) {
    throw new Error(`expected ${status} with ${answerBytes} bytes, got: ${head.slice(0, 300)}`)
  }
  const session = /\r\nmcp-session-id: (\S+)/i.exec(head)?.[1]
  return { bytes: end + HEADER_END.length + answerBytes, session }
}

function formatRequest(
  { url, path }: Target,
  { headers, body }: Message,
  id: number,
  session: string | undefined,
): Buffer {
  const text = body(id)
  const all = { ...headers, ...(session !== undefined && { 'mcp-session-id': session }) }
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` +
      `${fields.join('')}\r\n${text}`,
  )
}
