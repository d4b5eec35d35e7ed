/** Hand-written sources of a `Lookup`: what KV and the origin say, and how often they were asked. */
import type { Shut, Sized, Source } from '../../src/memory/lookup.ts'

export type Version = { version: number }

/** A value as a source gives it. */
export function sized(version: number): Sized<Version> {
  return { value: { version }, bytes: 10 }
}

/** A source that says what it is told to; both sides have nothing at first. */
export class Told implements Source<Version> {
  readonly asked = { published: 0, admitMiss: 0, origin: 0 }
  /** Whether the origin was told last that the copy does not open. */
  wasShut = false
  /** What KV was told is known, at each read. */
  readonly known: (Version | undefined)[] = []
  kv: () => Promise<Sized<Version> | Shut | undefined> = async () => undefined
  truth: () => Promise<Sized<Version> | undefined> = async () => undefined
  admit: () => Promise<void> = async () => {}

  published(_name: string, known: Version | undefined): Promise<Sized<Version> | Shut | undefined> {
    this.asked.published++
    this.known.push(known)
    return this.kv()
  }

  admitMiss(): Promise<void> {
    this.asked.admitMiss++
    return this.admit()
  }

  origin(_name: string, isShut: boolean): Promise<Sized<Version> | undefined> {
    this.asked.origin++
    this.wasShut = isShut
    return this.truth()
  }
}

/** What an outage looks like. */
export async function failing(): Promise<never> {
  throw new Error('down')
}

/** What an outage looks like that says nothing. */
export async function hanging(): Promise<never> {
  return new Promise(() => {})
}
