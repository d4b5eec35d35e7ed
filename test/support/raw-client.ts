/** A client that is nothing but a socket: one that stops reading, or goes without a word. */
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

export type RawClient = {
  socket: Socket
  /** What has come so far. */
  received: () => string
  /** Waits until a text has come; throws when the connection ends first. */
  until: (text: string) => Promise<void>
  /** Takes in nothing more; the connection stays. */
  stall: () => void
  /** Whether any process still has the other end of the connection open; Linux only. */
  isHeld: () => boolean
}

export type RawRequest = {
  method: string
  headers: Readonly<Record<string, string>>
  body?: unknown
}

/** Sends a request whose answer is taken in as it comes. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawClient> {
  const { hostname, port, host, pathname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname })
  let text = ''
  socket.setEncoding('utf8')
  let inode: string | undefined
  socket.on('data', (chunk: string) => {
    text += chunk
    inode ??= inodeOf(Number(port), socket.localPort ?? 0) // what has answered has accepted
  })
  socket.on('error', () => {}) // the end of the connection is what tests look at
  await once(socket, 'connect')
  const body = request.body === undefined ? '' : JSON.stringify(request.body)
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const headers = Object.entries({ host, ...request.headers, ...length })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.write(`${request.method} ${pathname} HTTP/1.1\r\n${headers}\r\n${body}`)
  return {
    socket,
    received: () => text,
    stall: () => void socket.pause(),
    isHeld: () => isOpenAnywhere(inode),
    async until(part) {
      while (!text.includes(part)) {
        if (socket.closed) throw new Error(`the connection ended before ${part}: ${text}`)
        await Promise.race([once(socket, 'data'), once(socket, 'close')])
      }
    },
  }
}

/** The inode of the end of a loopback connection that is at `port`. */
function inodeOf(port: number, peer: number): string | undefined {
  const address = (number: number) =>
    `0100007F:${number.toString(16).toUpperCase().padStart(4, '0')}`
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
    const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/)
    if (local === address(port) && remote === address(peer)) return inode
  }
  return undefined
}

function isOpenAnywhere(inode: string | undefined): boolean {
  const target = `socket:[${inode}]`
  const isTarget = (path: string) => attempt(() => readlinkSync(path)) === target
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) =>
      (attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? []).some((fd) =>
        isTarget(`/proc/${pid}/fd/${fd}`),
      ),
    )
}

/** What goes away while it is looked at is not there. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
