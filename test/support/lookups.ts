/** A `Lookup` with its source and its clock, and what it finds. */
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { Lookup, type LookupOptions } from '../../src/memory/lookup.ts'
import { createClock } from './clock.ts'
import { Told, type Version } from './sources.ts'

export const FRESH_MS = 5000
export const ABSENT_MS = 10_000

/** A lookup whose source has nothing yet, at a clock that stands. */
export function createLookup(options: Partial<LookupOptions<Version>> = {}) {
  const clock = createClock()
  const lookup = new Lookup<Version>({
    memory: new BoundedMap(1000),
    freshMs: FRESH_MS,
    keepsStale: true,
    isOlder: (read, known) => read.version < known.version,
    now: clock.now,
    ...options,
  })
  const source = new Told()
  const find = (name = 'a') => lookup.find(name, source, () => {})
  return { lookup, source, clock, find }
}

/** What is found, and how stale it is. */
export const found = (version: number, staleMs = 0) => ({ value: { version }, staleMs })
/** What is found where there is nothing. */
export const ABSENT = { value: undefined, staleMs: 0 }
