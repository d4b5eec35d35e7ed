/**
 * What a push changes: the file of a server as it stands against the file that it will be, both as
 * the deployment writes them. The order of an object's members is no difference. Pure.
 */
import { isDeepStrictEqual } from 'node:util'

/** What a server offers, as the members of its file. */
export const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const
export type Kind = (typeof KINDS)[number]

type Values = Readonly<Record<string, unknown>>

/** The member that tells items of a kind apart. */
const NAME_OF: Readonly<Record<Kind, string>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
}

export type SettingChange = { name: string; from: unknown; to: unknown }

/** What an operator changes of a tool of a remote server. */
export type OverrideChange = {
  /** The tool's name there. */
  tool: string
  act: 'added' | 'removed' | 'changed'
  /** Members that differ. */
  members: readonly string[]
}

export type ItemChange = {
  name: string
  /** Members that differ, `status` and `sortOrder` apart. */
  members: readonly string[]
  /** What its status becomes, where that differs. */
  status: 'active' | 'paused' | undefined
}

export type KindChanges = {
  added: readonly { name: string; status: 'active' | 'paused' }[]
  removed: readonly string[]
  changed: readonly ItemChange[]
  /** The names as they will stand, where those that stay change their order. */
  order: readonly string[] | undefined
  /** Whether sort orders differ though the order does not. */
  isRenumbered: boolean
}

export type Changes = {
  settings: readonly SettingChange[]
  overrides: readonly OverrideChange[]
  items: ReadonlyMap<Kind, KindChanges>
}

/** Compares what stands with what will; `before` is undefined for a server to be made. */
export function compare(before: Values | undefined, after: Values): Changes {
  const items = KINDS.map(
    (kind) => [kind, compareItems(itemsOf(before, kind), itemsOf(after, kind))] as const,
  )
  return {
    settings: before === undefined ? [] : compareSettings(before, after),
    overrides: compareOverrides(overridesOf(before), overridesOf(after)),
    items: new Map(items.filter(([, changes]) => !isNothing(changes))),
  }
}

/** Whether a comparison found no difference. */
export function isUnchanged({ settings, overrides, items }: Changes): boolean {
  return settings.length === 0 && overrides.length === 0 && items.size === 0
}

function compareSettings(before: Values, after: Values): SettingChange[] {
  const apart = new Set<string>(['id', 'overrides', ...KINDS])
  return differing(before, after)
    .filter((name) => !apart.has(name))
    .map((name) => ({ name, from: before[name], to: after[name] }))
}

function overridesOf(file: Values | undefined): ReadonlyMap<string, Values> {
  return new Map(Object.entries((file?.['overrides'] ?? {}) as Record<string, Values>))
}

function compareOverrides(
  before: ReadonlyMap<string, Values>,
  after: ReadonlyMap<string, Values>,
): OverrideChange[] {
  const tools = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return tools
    .map((tool): OverrideChange => {
      const [was, becomes] = [before.get(tool), after.get(tool)]
      const act = was === undefined ? 'added' : becomes === undefined ? 'removed' : 'changed'
      return { tool, act, members: differing(was ?? {}, becomes ?? {}) }
    })
    .filter(({ members }) => members.length > 0)
}

type Item = { name: string; status: 'active' | 'paused'; sortOrder: number; value: Values }

function itemsOf(file: Values | undefined, kind: Kind): Item[] {
  const values = (file?.[kind] ?? []) as Values[]
  return values.map((value, index) => ({
    name: String(value[NAME_OF[kind]]),
    status: value['status'] === 'paused' ? 'paused' : 'active',
    sortOrder: typeof value['sortOrder'] === 'number' ? value['sortOrder'] : index,
    value,
  }))
}

function compareItems(before: readonly Item[], after: readonly Item[]): KindChanges {
  const was = new Map(before.map((item, index) => [item.name, { item, index }]))
  const names = new Set(after.map(({ name }) => name))
  const added = after.filter(({ name }) => !was.has(name))
  const removed = before.filter(({ name }) => !names.has(name)).map(({ name }) => name)
  const staying = after.flatMap((item) => {
    const earlier = was.get(item.name)
    return earlier ? [{ item, earlier: earlier.item, index: earlier.index }] : []
  })
  const isReordered = staying.some(({ index }, place) => index < (staying[place - 1]?.index ?? -1))
  const isOther = staying.some(({ item, earlier }) => item.sortOrder !== earlier.sortOrder)
  return {
    added: added.map(({ name, status }) => ({ name, status })),
    removed,
    changed: staying
      .map(({ item, earlier }) => compareItem(earlier, item))
      .filter(({ members, status }) => members.length > 0 || status !== undefined),
    order: isReordered ? after.map(({ name }) => name) : undefined,
    isRenumbered: isOther && !isReordered && added.length === 0 && removed.length === 0,
  }
}

function compareItem(before: Item, after: Item): ItemChange {
  return {
    name: after.name,
    members: differing(before.value, after.value).filter(
      (member) => member !== 'status' && member !== 'sortOrder',
    ),
    status: before.status === after.status ? undefined : after.status,
  }
}

function isNothing({ added, removed, changed, order, isRenumbered }: KindChanges): boolean {
  const some = added.length + removed.length + changed.length
  return some === 0 && order === undefined && !isRenumbered
}

/** The members in which two objects differ. */
function differing(one: Values, other: Values): string[] {
  const members = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...members].filter((member) => !isDeepStrictEqual(one[member], other[member]))
}
