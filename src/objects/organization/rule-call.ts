/**
 * What the rules of an organization say of one call, by the tool as it stands now. Where the feature is
 * off there are none, and a tool that asks is refused where it is prepared (`surfaces.md` D19).
 */
import { decide, type Effect } from '../../callers/approval-rules.ts'
import type { ItemRecord } from '../../catalog/item.ts'
import type { Binding } from '../../catalog/tool.ts'
import { filledArguments } from '../../methods/check-call.ts'
import { sentInputs } from '../../methods/sent-inputs.ts'
import { isObject } from '../../protocol/json-rpc.ts'
import type { Tool } from '../../protocol/tool.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { readItem } from './items.ts'
import type { OrganizationSettings } from './record.ts'
import { findServer } from './servers.ts'

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
  const { annotations } = JSON.parse(item.definition) as Tool
  const { asks = false, inputs = {} } = JSON.parse(item.binding) as Binding
  const { args, violations } = filled(item, text)
  const effect = decide(settings.approvals, {
    ...call,
    annotations: isObject(annotations) ? annotations : {},
    args: sentInputs(args, inputs), // whatever the caller gives in the place of an input that is set
    asks,
  })
  // Nobody is asked about what could not run.
  return effect === 'ask' && violations.length > 0 ? { violations } : effect
}

/** What a person is asked about: the arguments as they would run, and the tool as it is. */
export function askedOf(
  sql: SqlStorage,
  { server, tool }: Pick<Ruling, 'server' | 'tool'>,
  text: string,
): { args: string; item: string | null } {
  const item = readItem(sql, server, 'tools', tool)
  const args = item === undefined ? text : JSON.stringify(filled(item, text).args)
  return { args, item: toolDigest(sql, server, tool) }
}

/** What a tool is and does, as a hash: another one is not what a person approved; null where it is gone. */
export function toolDigest(sql: SqlStorage, server: string, tool: string): string | null {
  const item = readItem(sql, server, 'tools', tool)
  if (item === undefined) return null
  const { definition, binding } = item
  const remote = findServer(sql, server).live?.settings.remote ?? null
  return sha256Hex(JSON.stringify([definition, binding, remote]))
}

function filled({ definition, binding }: ItemRecord, text: string) {
  const tool = JSON.parse(definition) as Tool
  const key = `ruled ${sha256Hex(definition)}`
  const given = JSON.parse(text) as Readonly<Record<string, unknown>>
  return filledArguments(key, { tool, binding: JSON.parse(binding) as Binding }, given)
}
