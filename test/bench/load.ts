/**
 * The load: a fixed number of POSTs over a few keep-alive HTTP/1.1 connections, each of which sends
 * its next request when its answer is whole. Every answer must have status 200 and the expected length, so
 * that a contender cannot win with a refusal. Bodies are counted, not kept.
 */
import { connect, type Socket } from 'node:net'

const READ_BYTES = 256 * 1024
const HEADER_END = Buffer.from('\r\n\r\n')
const FIRST_ID = 1_000_000 // ids have seven digits, so all answers are of one length

export type Target = {
  url: URL
  path: string
  headers: Readonly<Record<string, string>>
  /** The request with this id, as JSON. */
  body: (id: number) => string
  answerBytes: number
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
  const requestText = (): Buffer => formatRequest(target, nextId++)
  const lines = await Promise.all(
    Array.from({ length: connections }, () => openLine(target, requestText)),
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

async function openLine(target: Target, requestText: () => Buffer): Promise<Line> {
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
      let sentAt = 0
      let awaited = 0 // bytes of the answer that are still to come; 0 before its headers
      const next = (): void => {
        if (!take()) return resolve()
        sentAt = performance.now()
        socket.write(requestText())
      }
      onEnd = reject
      onData = (chunk) => {
        try {
          awaited =
            (awaited === 0 ? answerLength(chunk, target.answerBytes) : awaited) - chunk.length
        } catch (error) {
          return reject(error)
        }
        if (awaited > 0) return
        latenciesMs.push(performance.now() - sentAt)
        next()
      }
      next()
    })
  return { socket, run }
}

/** Bytes of the answer that begins with this chunk, headers and body. */
function answerLength(chunk: Buffer, bodyBytes: number): number {
  const end = chunk.indexOf(HEADER_END)
  const head = chunk.toString('latin1', 0, end < 0 ? chunk.length : end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (end < 0 || !head.startsWith('HTTP/1.1 200 ') || Number(length) !== bodyBytes) {
    throw new Error(`expected 200 with ${bodyBytes} bytes, got: ${head.slice(0, 300)}`)
  }
  return end + HEADER_END.length + bodyBytes
}

function formatRequest({ url, path, headers, body }: Target, id: number): Buffer {
  const text = body(id)
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: ${url.host}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` +
      `${fields.join('')}\r\n${text}`,
  )
}
