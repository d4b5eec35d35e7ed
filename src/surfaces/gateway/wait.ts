/**
 * Waiting for something of a caller's own, without an object that is held awake: the Worker listens at
 * Channel, and asks again when that says that something has changed. What a notice is of is not told,
 * and one may be lost, so the answer always comes from asking.
 */
import { within } from '../../memory/single-flight.ts'
import { openSiteSocket } from './site-socket.ts'
import type { Site } from './site.ts'

/** How long a tool waits at most, so that clients that give up after a minute still get its answer. */
export const MAX_WAIT_SECONDS = 50

const REOPEN_MS = 500

/** What `ask` answers, asked until it does: now, after each notice, and when the time is over. */
export async function waitFor<T>(
  site: Pick<Site, 'platform' | 'caller' | 'shown'>,
  { seconds, signal }: { seconds: number; signal: AbortSignal | undefined },
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const until = Date.now() + Math.min(seconds, MAX_WAIT_SECONDS) * 1000
  const isOver = () => Date.now() >= until || signal?.aborted === true
  let answer = await ask()
  let line: Line | undefined
  try {
    while (answer === undefined && !isOver()) {
      if (line?.isOpen !== true) {
        if (line !== undefined) await within(REOPEN_MS, Promise.withResolvers<never>().promise)
        line = listenOn(await openSiteSocket(site), signal)
      }
      await within(Math.max(0, until - Date.now()), line.next())
      answer = await ask()
    }
    return answer
  } finally {
    line?.close()
  }
}

type Line = {
  readonly isOpen: boolean
  /** Settles with the next notice, at once where one came since the last was waited for. */
  next(): Promise<void>
  close(): void
}

/** Listens on a socket, whose first notice comes at once: so nothing is missed before it was open. */
function listenOn(socket: WebSocket | undefined, signal: AbortSignal | undefined): Line {
  let isOpen = socket !== undefined
  let notice = Promise.withResolvers<void>()
  const wake = () => notice.resolve()
  const end = () => {
    isOpen = false
    wake()
  }
  socket?.addEventListener('message', wake)
  socket?.addEventListener('close', end)
  signal?.addEventListener('abort', end)
  socket?.accept()
  if (socket === undefined) wake()
  return {
    get isOpen() {
      return isOpen
    },
    async next() {
      await notice.promise
      notice = Promise.withResolvers<void>()
    },
    close() {
      signal?.removeEventListener('abort', end)
      socket?.close(1000)
    },
  }
}
