/** Pages of convai's lists: their size in the query, and a cursor that is good for its own list alone. */
import * as z from 'zod'

const MAX_PAGE_SIZE = 100

/** How many items a page has. */
export const PageSize = z.coerce.number().int().min(1).max(MAX_PAGE_SIZE)

/** Where a list goes on: what `next_cursor` of this same list says, or nothing for the beginning. */
export function cursorOf(list: string) {
  return z
    .string()
    .max(1000)
    .default('')
    .transform((cursor, context) => {
      if (cursor === '') return ''
      const text = decode(cursor)
      if (text?.startsWith(`${list} `)) return text.slice(list.length + 1)
      context.addIssue({ code: 'custom', message: 'is not one of ours' })
      return z.NEVER
    })
}

/** A page of items, of which one more than its size was read, and the cursor of the next; null for none. */
export function pageOf<T>(
  list: string,
  items: readonly T[],
  size: number,
  keyOf: (item: T) => string,
): { page: readonly T[]; next: string | null } {
  const page = items.slice(0, size)
  const last = page.at(-1)
  const isMore = items.length > size && last !== undefined
  return { page, next: isMore ? encode(`${list} ${keyOf(last)}`) : null }
}

function encode(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function decode(cursor: string): string | undefined {
  try {
    return atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return undefined // not base64
  }
}
