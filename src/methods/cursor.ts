/**
 * The cursor of a list: the revision it began at, and the index of the next item in that revision's
 * whole order (§5.2). It needs no memory of ours. It is signed for its list, since a made-up one would
 * show what a list was before somebody took it back, or how much of it is withheld.
 */
import { hmacOf } from '../sealing/digest.ts'

export type Cursor = { revision: number; index: number }

/** The keys, of which the first signs and each is accepted, and the list a cursor is good for. */
export type Signing = { keys: readonly [string, ...string[]]; list: string }

const FORM = /^(\d{1,15})\.(\d{1,6})\.([0-9a-f]{24})$/
const TEXT = /^[A-Za-z0-9+/]{4,80}$/

/** The opaque text of a cursor. */
export function formatCursor(cursor: Cursor, { keys, list }: Signing): string {
  return signed(cursor, list, keys[0])
}

/** Reads a cursor; undefined for what we did not make for this list. */
export function parseCursor(text: unknown, { keys, list }: Signing): Cursor | undefined {
  if (typeof text !== 'string' || !TEXT.test(text) || text.length % 4 === 1) return undefined
  const [, revision, index] = FORM.exec(atob(text)) ?? []
  if (revision === undefined || index === undefined) return undefined
  const cursor = { revision: Number(revision), index: Number(index) }
  return keys.some((key) => signed(cursor, list, key) === text) ? cursor : undefined
}

function signed({ revision, index }: Cursor, list: string, key: string): string {
  const place = `${revision}.${index}`
  const signature = hmacOf(key, `${list} ${place}`).slice(0, 24)
  return btoa(`${place}.${signature}`).replace(/=+$/, '')
}
