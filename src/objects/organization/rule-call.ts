/**
 * What the rules of an organization say of one call, by the tool as it stands now. Where the feature is
 * off there are none, and a tool that asks is refused where it is prepared (`surfaces.md` D19).
 */
import { decide, type Effect } from '../../callers/approval-rules.ts'
import type { Binding } from '../../catalog/tool.ts'
import { isObject } from '../../protocol/json-rpc.ts'
import type { Tool } from '../../protocol/tool.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { checkArguments, isCheckable } from '../../upstream/arguments.ts'
import { readItem } from './items.ts'
import type { OrganizationSettings } from './record.ts'

/** A call by whoever may make it. */
export type Ruling = {
  settings: Pick<OrganizationSettings, 'features' | 'approvals'>
  server: string
  capability: string
  tool: string
  caller: 'member' | 'agent'
  /** JSON of the arguments; undefined where they were not sent. */
  args: string | undefined
}

/** What is done with a call, or what is missing or wrong so that nothing is. */
export function ruleCall(
  sql: SqlStorage,
  { settings, args: text, ...call }: Ruling,
): Effect | 'needs arguments' | 'gone' | { violations: string[] } {
  if (!settings.features.approvals) return 'run'
  if (text === undefined) return 'needs arguments'
  const item = readItem(sql, call.server, 'tools', call.tool)
  if (item?.status !== 'active') return 'gone'
  const { inputSchema, annotations } = JSON.parse(item.definition) as Tool
  const { asks = false, handler } = JSON.parse(item.binding) as Binding
  const given = JSON.parse(text) as Readonly<Record<string, unknown>>
  // Of a dialect that we do not know, the remote server says what is wrong.
  const isTheirs = handler.kind === 'mcp' && !isCheckable(inputSchema)
  const { args, violations } = isTheirs
    ? { args: given, violations: [] }
    : checkArguments(`ruled ${sha256Hex(item.definition)}`, inputSchema, given)
  const effect = decide(settings.approvals, {
    ...call,
    annotations: isObject(annotations) ? annotations : {},
    args,
    asks,
  })
  // Nobody is asked about what could not run.
  return effect === 'ask' && violations.length > 0 ? { violations } : effect
}
