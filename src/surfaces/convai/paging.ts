/** Pages of convai's lists: their size and their cursor in the query. */
import * as z from 'zod'
import { formatCursor, parseCursor } from '../list-cursor.ts'

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
      const key = parseCursor(list, cursor)
      if (key !== undefined) return key
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
  return { page, next: isMore ? formatCursor(list, keyOf(last)) : null }
}
