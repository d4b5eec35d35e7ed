/** Cursors of lists in REST: opaque, and good for the list alone that gave them. */

/** The cursor of a list that goes on after a key. */
export function formatCursor(list: string, key: string | number): string {
  return btoa(`${list} ${key}`).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The key that a cursor of a list stands for; undefined for any other text. */
export function parseCursor(list: string, cursor: string): string | undefined {
  const text = /^[A-Za-z0-9_-]+$/.test(cursor) ? decode(cursor) : undefined
  return text?.startsWith(`${list} `) ? text.slice(list.length + 1) : undefined
}

function decode(cursor: string): string | undefined {
  try {
    return atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined // not base64
  }
}
