/**
 * What a caller sees of a server's tools: the one decision that lists, calls and the preview share.
 * A tool that is withheld here is listed nowhere, and a call of it is answered like one of a tool
 * that does not exist.
 */
import type { Caller } from '../callers/caller.ts'
import type { Selection } from '../catalog/catalog.ts'
import type { ToolStatus } from '../catalog/tool.ts'

export type Rule = 'tool_paused' | 'not_in_key_tools'

/** The rule that withholds a tool from a caller; undefined when the tool is visible. */
export function withholds(
  tool: { name: string; status: ToolStatus },
  { tools }: Caller,
): Rule | undefined {
  if (tool.status !== 'active') return 'tool_paused'
  if (tools !== undefined && !tools.names.has(tool.name)) return 'not_in_key_tools'
  return undefined
}

/** The active tools a caller sees, as a selection of a catalog; undefined when that is all of them. */
export function visibleTo(caller: Caller): Selection | undefined {
  if (caller.tools === undefined) return undefined
  const includes = (name: string) => withholds({ name, status: 'active' }, caller) === undefined
  return { key: caller.tools.key, includes }
}
