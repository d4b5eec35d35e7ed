/**
 * An item as each revision may see it (`mcp-protocol.md` §5.1): known members that came later
 * are left out, `execution` is gone from 2026-07-28, an `outputSchema` that is no object stays away
 * from the revisions that cannot have one. Unknown members pass.
 */
import { isObject } from '../protocol/json-rpc.ts'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'
import type { Kind } from './item.ts'

/** What a revision does not have of any kind of item. */
const LEFT_OUT: Readonly<Record<Revision, readonly string[]>> = {
  '2024-11-05': ['title', '_meta', 'icons'],
  '2025-03-26': ['title', '_meta', 'icons'],
  '2025-06-18': ['icons'],
  '2025-11-25': [],
  '2026-07-28': [],
}

/** What it does not have of tools beside that. */
const LEFT_OUT_OF_TOOLS: Readonly<Record<Revision, readonly string[]>> = {
  '2024-11-05': ['annotations', 'outputSchema', 'execution'],
  '2025-03-26': ['outputSchema', 'execution'],
  '2025-06-18': ['execution'],
  '2025-11-25': [],
  '2026-07-28': ['execution'],
}

const OBJECT_OUTPUT: ReadonlySet<Revision> = new Set(['2025-06-18', '2025-11-25'])

/** The item as `revision` lists it; the same object when nothing differs. */
export function projectItem(
  kind: Kind,
  item: Readonly<Record<string, unknown>>,
  revision: Revision,
): Readonly<Record<string, unknown>> {
  const hidden = hiddenMembers(kind, item, revision)
  if (hidden.length === 0) return item
  return Object.fromEntries(Object.entries(item).filter(([key]) => !hidden.includes(key)))
}

/** One bit a revision, set where the revision lists the item otherwise than it is stored. */
export function differingRevisions(kind: Kind, item: Readonly<Record<string, unknown>>): number {
  return REVISIONS.reduce(
    (bits, revision, index) =>
      hiddenMembers(kind, item, revision).length > 0 ? bits | (1 << index) : bits,
    0,
  )
}

/** Whether an item with these `differingRevisions` is listed to `revision` otherwise than stored. */
export function differsIn(bits: number, revision: Revision): boolean {
  return (bits & (1 << REVISIONS.indexOf(revision))) !== 0
}

function hiddenMembers(
  kind: Kind,
  item: Readonly<Record<string, unknown>>,
  revision: Revision,
): string[] {
  const later = kind === 'tools' ? LEFT_OUT_OF_TOOLS[revision] : []
  const hidden = [...LEFT_OUT[revision], ...later].filter((member) => Object.hasOwn(item, member))
  const output = item['outputSchema']
  if (kind === 'tools' && output !== undefined && OBJECT_OUTPUT.has(revision)) {
    if (!isObject(output) || output['type'] !== 'object') hidden.push('outputSchema')
  }
  return hidden
}
