/**
 * The call log on its way: entries wait in memory, by organization, and go to its object fifty at a
 * time, or within five seconds (`surfaces.md` A35). A batch that is lost is lost: with its isolate, or
 * where the organization does not answer.
 */
import { logError } from '../protocol/log.ts'
import type { WaitUntil } from '../memory/single-flight.ts'
import type { CallEntry } from '../methods/call-entry.ts'
import { organizationOf, type OrganizationBinding } from './resident.ts'

/** Takes a batch to where an organization's log is kept. */
export type WriteCalls = (organization: string, entries: readonly CallEntry[]) => Promise<unknown>

/** What waits of an organization, for as long as the timer runs that was begun with its first entry. */
type Waiting = { entries: CallEntry[]; begunAt: number }

const BATCH_LENGTH = 50
const DELAY_MS = 5000
const MAX_WAITING = 1000 // of all organizations; an entry is at most a kilobyte

export class CallLog {
  readonly #write: WriteCalls
  readonly #now: () => number
  readonly #organizations = new Map<string, Waiting>()
  #waiting = 0

  constructor(write: WriteCalls, now: () => number = Date.now) {
    this.#write = write
    this.#now = now
  }

  /** Takes an entry; `waitUntil` is of the request that noted it, which may outlive its answer. */
  add(entry: CallEntry, waitUntil: WaitUntil): void {
    const { organization } = entry
    const waiting = this.#organizations.get(organization) ?? this.#begin(organization, waitUntil)
    if (waiting.entries.length === 0) {
      this.#organizations.delete(organization) // to the end: the oldest go first
      this.#organizations.set(organization, waiting)
    }
    waiting.entries.push(entry)
    this.#waiting++
    if (this.#waiting > MAX_WAITING) this.#dropOldest()
    // The request died that was to write them, and its timer with it.
    const isLate = this.#now() - waiting.begunAt > DELAY_MS
    if (isLate) this.#organizations.delete(organization)
    if (isLate || waiting.entries.length >= BATCH_LENGTH) {
      waitUntil(this.#send(organization, waiting))
    }
  }

  #begin(organization: string, waitUntil: WaitUntil): Waiting {
    const waiting = { entries: [], begunAt: this.#now() }
    this.#organizations.set(organization, waiting)
    waitUntil(this.#sendLater(organization, waiting))
    return waiting
  }

  async #sendLater(organization: string, waiting: Waiting): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS))
    if (this.#organizations.get(organization) !== waiting) return // it was too late
    this.#organizations.delete(organization)
    await this.#send(organization, waiting)
  }

  /** Each request writes by itself: what belongs to one may not be waited for by another. */
  async #send(organization: string, waiting: Waiting): Promise<void> {
    const entries = waiting.entries.splice(0)
    if (entries.length === 0) return
    this.#waiting -= entries.length
    try {
      await this.#write(organization, entries)
    } catch (error) {
      logError('a batch of the call log was lost', error)
    }
  }

  #dropOldest(): void {
    for (const { entries } of this.#organizations.values()) {
      if (entries.shift() === undefined) continue
      this.#waiting--
      return
    }
  }
}

const logs = new WeakMap<OrganizationBinding, CallLog>()

/** The call log of an isolate, which all its objects share. */
export function callLogOf(env: OrganizationBinding): CallLog {
  const log = logs.get(env) ?? createCallLog(env)
  logs.set(env, log)
  return log
}

function createCallLog(env: OrganizationBinding): CallLog {
  return new CallLog((organization, entries) =>
    organizationOf(env, organization).logCalls(JSON.stringify(entries), entries.length),
  )
}
