/** Where a list of a server's tools goes on, as text between two pages. */
import { invalid } from '../catalog/issues.ts'
import type { Place } from '../objects/organization/items.ts'

/** The text of a place. */
export function formatPlace({ sortOrder, created }: Place): string {
  return `${sortOrder} ${created}`
}

/** The place of a text, '' being the beginning; 422 for any other. */
export function parsePlace(cursor: string): Place {
  if (cursor === '') return { sortOrder: -1, created: -1 }
  const [, sortOrder, created] = /^(\d{1,10}) (\d{1,10})$/.exec(cursor) ?? []
  if (created === undefined) throw invalid([{ path: 'cursor', message: 'is not one of ours' }])
  return { sortOrder: Number(sortOrder), created: Number(created) }
}
