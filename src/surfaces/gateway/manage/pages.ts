/** Lists that come in pages, as the tools' arguments and answers have them. */
import * as z from 'zod'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200
const MAX_CURSOR_LENGTH = 100

/** What every list takes. */
export const PAGE = {
  limit: z
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .meta({ description: 'At most so many' }),
  cursor: z
    .string()
    .max(MAX_CURSOR_LENGTH)
    .default('')
    .meta({ description: 'nextCursor of the last page' }),
}

/** The cursor of a page: where the next one begins, where there is one. */
export const NEXT = {
  nextCursor: z.string().optional().meta({ description: 'There are more: pass it as cursor' }),
}

/** A page of records, of which one more than the limit was read. */
export function cutPage<T>(
  records: readonly T[],
  limit: number,
  keyOf: (record: T) => string,
): { page: T[]; next: { nextCursor?: string } } {
  const page = records.slice(0, limit)
  const last = page.at(-1)
  const isMore = records.length > limit && last !== undefined
  return { page, next: isMore ? { nextCursor: keyOf(last) } : {} }
}
