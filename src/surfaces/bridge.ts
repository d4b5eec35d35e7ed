/**
 * A client's idle stream, held by the Worker, over a hibernatable WebSocket to the server's Channel
 * (`platform.md` §4). It sends comments to stay open, ends by itself after a while, and comes back to
 * Channel when that was reset, without the client noticing. What a notice means is the caller's work.
 */
import { GOODBYE, type Notice } from '../objects/channel-socket.ts'
import { encodeUtf8 } from '../protocol/bytes.ts'
import { HttpError } from '../protocol/http-error.ts'
import { formatComment } from '../protocol/sse.ts'
import { logError } from '../protocol/log.ts'

export type BridgeOptions = {
  /** Another socket to Channel, when the first is lost; undefined when it may not be had any more. */
  reconnect: () => Promise<WebSocket | undefined>
  /**
   * The events to send when what it listens to is at a revision, or something that is the caller's own
   * has changed; undefined ends the stream.
   */
  onRevision: (revision: number, isOwn: boolean) => Promise<string[] | undefined>
  /** The events to send when a resource of a remote server has other contents. */
  onUpdated: (uri: string) => Promise<string[]>
  /** Says again, now and then, which of those are wanted. */
  renew: () => Promise<void>
  /** The client has left, perhaps before it could read what was sent last. */
  onLost?: () => void
  /** What is sent first. */
  opening: string
  /** What is sent last when the stream ends by itself. */
  farewell: string
  keepaliveMs: number
  maxAgeMs: number
  /** Sends the events of a change once more after this, where a client may have read an old copy. */
  repeatMs?: number | undefined
}

/** How often it is said again which updates are wanted. */
export const RENEW_MS = 60_000

/** A first write to a client that has left still succeeds; the one after it tells. */
const WRITES_TO_CONFIRM = 3
const RECONNECT_MS = 500
const MAX_RECONNECT_MS = 30_000

/** The stream's body over a socket that is open already. */
export function bridge(first: WebSocket, options: BridgeOptions): ReadableStream<Uint8Array> {
  let line: Bridge | undefined
  return new ReadableStream<Uint8Array>({
    start(controller) {
      line = new Bridge(controller, options)
      line.listen(first)
    },
    cancel: () => line?.leave(),
  })
}

class Bridge {
  readonly #controller: ReadableStreamDefaultController<Uint8Array>
  readonly #options: BridgeOptions
  readonly #keepalive: ReturnType<typeof setInterval>
  readonly #end: ReturnType<typeof setTimeout>
  readonly #renewal: ReturnType<typeof setInterval>
  #repeat: ReturnType<typeof setTimeout> | undefined
  readonly #toRepeat = new Set<string>()
  /** Writes to come before it is taken that the client has read the last events. */
  #unconfirmed = 0
  #socket: WebSocket | undefined
  #isOpen = true
  #newest = 0
  #isDue = false
  #isOwn = false
  #isWorking = false
  #failures = 0

  constructor(controller: ReadableStreamDefaultController<Uint8Array>, options: BridgeOptions) {
    this.#controller = controller
    this.#options = options
    this.#send(options.opening)
    this.#keepalive = setInterval(() => {
      this.#unconfirmed = Math.max(0, this.#unconfirmed - 1)
      this.#send(formatComment('keepalive'))
    }, options.keepaliveMs)
    // Spread out, so that streams that began together do not all come back together.
    this.#renew()
    this.#renewal = setInterval(() => this.#renew(), RENEW_MS)
    const age = options.maxAgeMs * (0.9 + 0.1 * Math.random())
    this.#end = setTimeout(() => this.#finish(), age)
  }

  /** Takes notices from a socket, until it closes. */
  listen(socket: WebSocket): void {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      this.#failures = 0
      const notice = JSON.parse(String(data)) as Notice
      void ('revision' in notice ? this.#learn(notice) : this.#hear(notice.updated))
    })
    socket.addEventListener('close', ({ code }) => {
      if (code === GOODBYE) this.#finish()
      else this.#reconnect()
    })
    socket.accept() // last: whatever Channel has sent already is delivered now
  }

  /** The client has left. */
  leave(): void {
    if (this.#isOpen && this.#unconfirmed > 0) this.#options.onLost?.()
    this.stop()
  }

  /** Lets everything go; the client has left or the stream has ended. */
  stop(): void {
    this.#isOpen = false
    clearInterval(this.#keepalive)
    clearInterval(this.#renewal)
    clearTimeout(this.#end)
    if (this.#repeat !== undefined) clearTimeout(this.#repeat)
    this.#socket?.close(1000)
  }

  /** One look at a time; whatever was told meanwhile, another one at the newest revision is enough. */
  async #learn({ revision, own }: Extract<Notice, { revision: number }>): Promise<void> {
    this.#newest = Math.max(this.#newest, revision)
    this.#isDue = true
    if (own) this.#isOwn = true
    if (this.#isWorking) return
    this.#isWorking = true
    try {
      while (this.#isOpen && this.#isDue) {
        const isOwn = this.#isOwn
        this.#isDue = this.#isOwn = false
        const events = await this.#options.onRevision(this.#newest, isOwn)
        if (events === undefined) return this.#finish()
        this.#tell(events)
      }
    } catch (error) {
      logError('a stream could not look at a change', error)
      this.#finish() // the client comes back, and is told what it missed
    } finally {
      this.#isWorking = false
    }
  }

  #renew(): void {
    this.#options.renew().catch((error: unknown) => {
      logError('updates of resources could not be asked for', error)
    })
  }

  async #hear(uri: string): Promise<void> {
    try {
      this.#send((await this.#options.onUpdated(uri)).join(''))
    } catch (error) {
      logError('a stream could not look at an update', error)
    }
  }

  #tell(events: readonly string[]): void {
    if (events.length === 0) return
    this.#send(events.join(''))
    this.#unconfirmed = WRITES_TO_CONFIRM
    const { repeatMs } = this.#options
    if (repeatMs === undefined) return
    for (const event of events) this.#toRepeat.add(event)
    if (this.#repeat !== undefined) clearTimeout(this.#repeat)
    this.#repeat = setTimeout(() => {
      this.#send([...this.#toRepeat].join(''))
      this.#toRepeat.clear()
    }, repeatMs)
  }

  #reconnect(): void {
    if (!this.#isOpen) return
    const wait = Math.min(RECONNECT_MS * 2 ** this.#failures++, MAX_RECONNECT_MS)
    setTimeout(() => void this.#connect(), wait * (0.5 + Math.random()))
  }

  async #connect(): Promise<void> {
    if (!this.#isOpen) return
    try {
      const socket = await this.#options.reconnect()
      if (socket === undefined) this.#finish()
      else if (this.#isOpen) this.listen(socket)
      else socket.close(1000)
    } catch (error) {
      if (error instanceof HttpError) return this.#finish() // it may no longer be opened
      logError('Channel could not be reached', error)
      this.#reconnect()
    }
  }

  #finish(): void {
    if (!this.#isOpen) return
    this.#send(this.#options.farewell)
    this.stop()
    this.#controller.close()
  }

  #send(text: string): void {
    if (this.#isOpen && text !== '') this.#controller.enqueue(encodeUtf8(text))
  }
}
