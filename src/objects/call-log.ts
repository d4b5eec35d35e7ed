/**
 * The call log on its way: entries wait in memory, by organization, and go to its object fifty at a
 * time or after five seconds (`surfaces.md` A35). A batch that is lost is lost: with its isolate, or
 * where the organization does not answer.
 */
import { logError } from '../protocol/log.ts'
import type { WaitUntil } from '../memory/single-flight.ts'
import type { CallEntry } from '../methods/call-entry.ts'
import { organizationOf, type OrganizationBinding } from './resident.ts'

/** Takes a batch to where an organization's log is kept. */
export type WriteCalls = (organization: string, entries: readonly CallEntry[]) => Promise<unknown>

type Batch = { entries: CallEntry[]; begunAt: number }

const BATCH_LENGTH = 50
const DELAY_MS = 5000
const MAX_WAITING = 1000 // of all organizations; an entry is at most a kilobyte

export class CallLog {
  readonly #write: WriteCalls
  readonly #now: () => number
  readonly #batches = new Map<string, Batch>()
  #waiting = 0

  constructor(write: WriteCalls, now: () => number = Date.now) {
    this.#write = write
    this.#now = now
  }

  /** Takes an entry; `waitUntil` is of the request that noted it, which may outlive its answer. */
  add(entry: CallEntry, waitUntil: WaitUntil): void {
    const { organization } = entry
    const batch = this.#batches.get(organization) ?? this.#begin(organization, waitUntil)
    batch.entries.push(entry)
    this.#waiting++
    if (this.#waiting > MAX_WAITING) this.#dropOldest()
    // One that is late lost the request that was to write it.
    const isLate = this.#now() - batch.begunAt > DELAY_MS
    if (isLate || batch.entries.length >= BATCH_LENGTH) waitUntil(this.#send(organization, batch))
  }

  #begin(organization: string, waitUntil: WaitUntil): Batch {
    const batch = { entries: [], begunAt: this.#now() }
    this.#batches.set(organization, batch)
    waitUntil(this.#sendLater(organization, batch))
    return batch
  }

  async #sendLater(organization: string, batch: Batch): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, DELAY_MS))
    await this.#send(organization, batch)
  }

  /** Each request writes by itself: what belongs to one may not be waited for by another. */
  async #send(organization: string, batch: Batch): Promise<void> {
    if (this.#batches.get(organization) !== batch) return // it is on its way, or was dropped
    this.#batches.delete(organization)
    this.#waiting -= batch.entries.length
    try {
      await this.#write(organization, batch.entries)
    } catch (error) {
      logError('a batch of the call log was lost', error)
    }
  }

  #dropOldest(): void {
    for (const [organization, { entries }] of this.#batches) {
      entries.shift()
      this.#waiting--
      if (entries.length === 0) this.#batches.delete(organization)
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
