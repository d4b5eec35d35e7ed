/**
 * What a caller sees of a server's tools: the one decision that lists, calls and the preview share.
 * A tool that is withheld here is listed nowhere, and a call of it is answered like one of a tool
 * that does not exist.
 */
import type { Caller } from '../callers/caller.ts'
import type { Selection } from '../catalog/catalog.ts'
import type { Kind, Status } from '../catalog/item.ts'

export type Rule = 'tool_paused' | 'not_in_key_tools'

/** The rule that withholds a tool from a caller; undefined when the tool is visible. */
export function withholds(
  tool: { name: string; status: Status },
  { tools }: Caller,
): Rule | undefined {
  if (tool.status !== 'active') return 'tool_paused'
  if (tools !== undefined && !tools.names.has(tool.name)) return 'not_in_key_tools'
  return undefined
}

/** The active items of a kind that a caller sees; undefined when that is all of them. */
export function visibleTo(caller: Caller, kind: Kind): Selection | undefined {
  if (caller.tools === undefined || kind !== 'tools') return undefined
  const includes = (name: string) => withholds({ name, status: 'active' }, caller) === undefined
  return { key: caller.tools.key, includes }
}
