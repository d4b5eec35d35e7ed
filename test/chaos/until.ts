/** Waiting for something to become so: asks again and again, for a bounded time. */
import { setTimeout as pause } from 'node:timers/promises'

const PATIENCE_MS = 20_000 // far more than the second or two that it takes on a quiet machine
const BETWEEN_MS = 30

/** Asks what is still missing until nothing is; then, or when time is up, gives the last answer. */
export async function until(
  missing: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const text = await missing()
    if (text === undefined || Date.now() > deadline) return text
    await pause(BETWEEN_MS)
  }
}
