/**
 * What applying a server file would change, as the server will store it: members that are absent
 * stand for their defaults, and an array's order for the sort order where none is given. The order of
 * an item's own members is no difference. Pure.
 */

/** What a server offers, as the members of its file. */
export const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const
export type Kind = (typeof KINDS)[number]

type Values = Readonly<Record<string, unknown>>

/** The member that tells items of a kind apart. */
export const NAME_OF: Readonly<Record<Kind, string>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
}

export type SettingChange = { name: string; from: unknown; to: unknown }

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
  items: ReadonlyMap<Kind, KindChanges>
}

/** Compares what stands with what a file says; `before` is undefined for a server to be made. */
export function compare(before: Values | undefined, after: Values, defaults: Values): Changes {
  const items = KINDS.map(
    (kind) => [kind, compareItems(itemsOf(before, kind), itemsOf(after, kind))] as const,
  )
  return {
    settings: before === undefined ? [] : compareSettings(before, after, defaults),
    items: new Map(items.filter(([, changes]) => !isNothing(changes))),
  }
}

/** Whether a comparison found no difference. */
export function isUnchanged({ settings, items }: Changes): boolean {
  return settings.length === 0 && items.size === 0
}

function compareSettings(before: Values, after: Values, defaults: Values): SettingChange[] {
  const was = settingsOf(before, defaults)
  // The file's slug is the server's where it says none.
  const becomes = settingsOf({ slug: before['slug'], ...after }, defaults)
  const names = new Set([...was.keys(), ...becomes.keys()])
  return [...names]
    .map((name) => ({ name, from: was.get(name), to: becomes.get(name) }))
    .filter(({ from, to }) => !isSame(from, to))
}

function settingsOf(file: Values, defaults: Values): Map<string, unknown> {
  const apart = new Set<string>(['id', ...KINDS])
  const all = { ...file, ...defaults, ...file } // in the file's order, defaults after it
  const settings = new Map(Object.entries(all).filter(([name]) => !apart.has(name)))
  const name = settings.get('name')
  if (typeof name === 'string') settings.set('name', name.trim()) // as it is stored
  return settings
}

type Item = { name: string; status: 'active' | 'paused'; sortOrder: number; value: Values }

function itemsOf(file: Values | undefined, kind: Kind): Item[] {
  const values = file?.[kind]
  return (Array.isArray(values) ? values : []).map((value: Values, index) => ({
    name: String(value[NAME_OF[kind]]),
    status: value['status'] === 'paused' ? 'paused' : 'active',
    sortOrder: typeof value['sortOrder'] === 'number' ? value['sortOrder'] : index,
    value,
  }))
}

function compareItems(before: readonly Item[], after: readonly Item[]): KindChanges {
  const was = new Map(before.map((item, index) => [item.name, { item, index }]))
  const names = new Set(after.map(({ name }) => name))
  // Of one sort order, those that stand keep their order and the new follow in the file's.
  const placeOf = ({ name }: Item) => was.get(name)?.index ?? Infinity
  const sorted = after.toSorted(
    (one, other) => one.sortOrder - other.sortOrder || compareNumbers(placeOf(one), placeOf(other)),
  )
  const added = sorted.filter(({ name }) => !was.has(name))
  const removed = before.filter(({ name }) => !names.has(name)).map(({ name }) => name)
  const staying = sorted.flatMap((item) => {
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
    order: isReordered ? sorted.map(({ name }) => name) : undefined,
    isRenumbered: isOther && !isReordered && added.length === 0 && removed.length === 0,
  }
}

function compareItem(before: Item, after: Item): ItemChange {
  const members = new Set([...Object.keys(before.value), ...Object.keys(after.value)])
  return {
    name: after.name,
    members: [...members].filter(
      (member) =>
        member !== 'status' &&
        member !== 'sortOrder' &&
        !isSame(before.value[member], after.value[member]),
    ),
    status: before.status === after.status ? undefined : after.status,
  }
}

function isNothing({ added, removed, changed, order, isRenumbered }: KindChanges): boolean {
  const some = added.length + removed.length + changed.length
  return some === 0 && order === undefined && !isRenumbered
}

/** Infinities are equal, where a difference of them is no number. */
function compareNumbers(one: number, other: number): number {
  return one === other ? 0 : one - other
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
