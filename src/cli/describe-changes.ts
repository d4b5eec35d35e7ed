/** A comparison in lines for people: `+` added, `-` removed, `~` changed. */
import {
  KINDS,
  type Changes,
  type ItemChange,
  type Kind,
  type KindChanges,
  type OverrideChange,
} from './compare.ts'
import { oneLine } from './plain-text.ts'

const SINGULAR: Readonly<Record<Kind, string>> = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
}

const SIGN: Readonly<Record<OverrideChange['act'], string>> = {
  added: '+',
  removed: '-',
  changed: '~',
}

const SHORT = /^[a-z0-9-]{1,64}$/
const MAX_ORDER_NAMES = 20 // a server may have 20,000 tools

/** One line a change, none where nothing differs. */
export function describeChanges({ settings, overrides, items }: Changes): string[] {
  return [
    ...settings.map(({ name, from, to }) => `  ~ ${oneLine(name)}${describeValues(from, to)}`),
    ...overrides.map(describeOverride),
    ...KINDS.flatMap((kind) => {
      const changes = items.get(kind)
      return changes === undefined ? [] : describeKind(kind, changes)
    }),
  ]
}

function describeOverride({ tool, act, members }: OverrideChange): string {
  const what = act === 'removed' ? '' : `: ${members.map(oneLine).join(', ')}`
  return `  ${SIGN[act]} tool ${oneLine(tool)} (override)${what}`
}

function describeKind(
  kind: Kind,
  { added, removed, changed, order, isRenumbered }: KindChanges,
): string[] {
  const noun = SINGULAR[kind]
  return [
    ...added.map(
      ({ name, status }) => `  + ${noun} ${oneLine(name)}${status === 'paused' ? ' (paused)' : ''}`,
    ),
    ...removed.map((name) => `  - ${noun} ${oneLine(name)}`),
    ...changed.map((change) => `  ~ ${noun} ${oneLine(change.name)}: ${describeItem(change)}`),
    ...(order === undefined ? [] : [`  ~ order of ${noun}s: ${describeOrder(order)}`]),
    ...(isRenumbered ? [`  ~ sort orders of ${noun}s; their order stays`] : []),
  ]
}

function describeItem({ members, status }: ItemChange): string {
  const turn = status === undefined ? [] : [status === 'paused' ? 'paused' : 'resumed']
  return [...members.map(oneLine), ...turn].join(', ')
}

function describeOrder(names: readonly string[]): string {
  const shown = names.slice(0, MAX_ORDER_NAMES).map(oneLine).join(', ')
  const more = names.length - MAX_ORDER_NAMES
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** The two values where both fit in a word; texts and lists are told by name alone. */
function describeValues(from: unknown, to: unknown): string {
  const words = [from, to].map(asWord)
  return words.includes(undefined) ? '' : `: ${words.join(' -> ')}`
}

function asWord(value: unknown): string | undefined {
  if (value === undefined) return 'unset'
  if (typeof value === 'string') return SHORT.test(value) ? value : undefined
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}
