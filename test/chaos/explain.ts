/**
 * Whether what a server is can have come of the writes that were sent: an order of them that keeps
 * to time, has every acknowledged write at the revision it was told, and of those that were never
 * answered all of each or nothing.
 */
import { isSame, REFUSED, type Effect, type Past, type ServerState } from './model.ts'

export type Sent = {
  what: string
  effect: Effect
  /** Ticks of the test's clock: what ended before another started came first. */
  started: number
  ended: number
  isAcknowledged: boolean
  /** The revision its answer told, where it told one. */
  revision: number | undefined
}

/** How a server stands, and how many writes that were never answered are in it since the last look. */
export type Standing = { revision: number; state: ServerState; past: Past; kept: number }

/** The standing the writes lead to at this revision and state; undefined when no order does. */
export function explain(
  from: Standing,
  writes: readonly Sent[],
  to: { revision: number; state: ServerState },
): Standing | undefined {
  const left = writes.filter((write) => !changesNothing(write, from))
  return search({ ...from, kept: 0 }, left, to)
}

function search(
  at: Standing,
  left: readonly Sent[],
  to: { revision: number; state: ServerState },
): Standing | undefined {
  if (at.revision === to.revision) {
    return left.some(({ isAcknowledged }) => isAcknowledged) || !isSame(at.state, to.state)
      ? undefined
      : at
  }
  const revision = at.revision + 1
  for (const write of left) {
    if (write.revision !== undefined && write.revision !== revision) continue
    if (left.some((other) => other.isAcknowledged && other.ended < write.started)) continue
    const state = write.effect(at.state, at.past)
    if (state === REFUSED || isSame(state, at.state)) continue
    const past = state === undefined ? new Map() : new Map([...at.past, [revision, state]])
    const kept = at.kept + (write.isAcknowledged ? 0 : 1)
    const next = { revision, state, past, kept }
    const rest = left.filter((other) => other !== write && !changesNothing(other, next))
    if (rest.some((other) => other.revision === revision)) continue
    const found = search(next, rest, to)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether a write was acknowledged with the revision that stands already, and rightly so. */
function changesNothing({ revision, effect }: Sent, at: Standing): boolean {
  return revision === at.revision && isSame(effect(at.state, at.past), at.state)
}
