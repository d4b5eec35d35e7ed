/**
 * Waiting for what a person does elsewhere, held by the Worker over a socket to Channel: no object is
 * awake for it (`platform.md` §4). A nudge of the principal is a reason to look; at the end one looks once
 * more, so a lost one costs time alone.
 */
import { HttpError } from '../protocol/http-error.ts'
import { surfaceChannelOf } from '../objects/resident.ts'
import type { Platform } from './platform.ts'
import { openSocket } from './socket.ts'

/** Below the minute after which clients and proxies give up. */
export const MAX_WAIT_MS = 50_000

export type Waiter = { organization: string; principal: string; credential: string }

/**
 * What `look` finds, which is asked at once, at each nudge of the principal and at the end; undefined
 * when there was nothing. 429 where the caller waits for too much.
 */
export async function waitFor<T>(
  { env }: Pick<Platform, 'env'>,
  { organization, principal, credential: caller }: Waiter,
  look: () => Promise<T | undefined>,
  maxMs = MAX_WAIT_MS,
): Promise<T | undefined> {
  const party = `caller ${caller}`
  const tags = { listener: party, party, caller, principal }
  const socket = await openSocket(surfaceChannelOf(env, organization), tags)
  if (socket === undefined) throw new HttpError(503, 'unavailable', 'Waiting is not possible now')
  const news = new Inbox(socket)
  const endsAt = Date.now() + Math.min(maxMs, MAX_WAIT_MS)
  try {
    for (;;) {
      const found = await look()
      if (found !== undefined || Date.now() >= endsAt || news.isClosed) return found
      await news.next(endsAt - Date.now())
    }
  } finally {
    socket.close(1000)
  }
}

/** Whether something came over a socket since one looked last. */
class Inbox {
  isClosed = false
  #isNew = false
  #wake: (() => void) | undefined

  constructor(socket: WebSocket) {
    socket.addEventListener('message', () => this.#tell())
    socket.addEventListener('close', () => {
      this.isClosed = true
      this.#tell()
    })
    socket.accept()
  }

  /** Comes back when something is new, or after a while. */
  async next(withinMs: number): Promise<void> {
    if (!this.#isNew) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#isNew = false
  }

  #tell(): void {
    this.#isNew = true
    this.#wake?.()
  }
}
