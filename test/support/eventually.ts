/** Waiting for what an alarm does in its own time. */
import { setTimeout as sleep } from 'node:timers/promises'

const DEADLINE_MS = 10_000
const PAUSE_MS = 25

/** Asks until the answer is what is waited for, and gives it; throws with the last one in the end. */
export async function eventually<T>(
  ask: () => Promise<T>,
  isThere: (answer: T) => boolean,
): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const answer = await ask()
    if (isThere(answer)) return answer
    if (Date.now() > deadline) throw new Error(`still waiting: ${JSON.stringify(answer)}`)
    await sleep(PAUSE_MS)
  }
}
