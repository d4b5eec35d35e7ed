/**
 * The cursor of a list: the revision it began at, and the index of the next item in that revision's
 * whole order. It needs no memory of ours, and says nothing a caller may not know (§5.2).
 */

export type Cursor = { revision: number; index: number }

const FORM = /^(\d{1,15})\.(\d{1,6})$/

/** The opaque text of a cursor. */
export function formatCursor({ revision, index }: Cursor): string {
  return btoa(`${revision}.${index}`).replace(/=+$/, '')
}

/** Reads a cursor; undefined for what we did not make. */
export function parseCursor(text: unknown): Cursor | undefined {
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]{4,40}$/.test(text) || text.length % 4 === 1) {
    return undefined
  }
  const [, revision, index] = FORM.exec(atob(text)) ?? []
  if (revision === undefined || index === undefined) return undefined
  const cursor = { revision: Number(revision), index: Number(index) }
  return formatCursor(cursor) === text ? cursor : undefined
}
