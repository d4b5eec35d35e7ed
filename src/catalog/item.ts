/**
 * What a server offers, of four kinds, each named as the result member that lists it. An item is
 * written as MCP's members, kept untouched with unknown ones included, beside ours (`status`,
 * `sortOrder`, and what serves it). Reading one checks it and splits it into the two texts that are
 * stored: the definition clients are shown, and the binding that serves them.
 */
import * as z from 'zod'
import { encodeUtf8 } from '../protocol/bytes.ts'
import type { Detail } from '../protocol/http-error.ts'
import { isDeeperThan, MAX_DEPTH } from '../protocol/json-depth.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { detailsOf } from './issues.ts'

export const KINDS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const
export type Kind = (typeof KINDS)[number]

export const MAX_DEFINITION_BYTES = 1024 * 1024 // a row of the database holds 2 MB
const MAX_BINDING_BYTES = 1024 * 1024

export const Status = z.enum(['active', 'paused'])
export type Status = z.infer<typeof Status>

/** Our members of every item. */
export const Placement = {
  status: Status.default('active'),
  sortOrder: z.int().min(0).max(1_000_000_000).optional(),
}

export type ItemRecord = {
  kind: Kind
  /** What tells it apart among its kind: a name, a URI or a URI template. */
  name: string
  status: Status
  sortOrder: number | undefined
  /** JSON text of the MCP object. */
  definition: string
  /** JSON text of the members that serve it. */
  binding: string
}

/** One kind as it is written: its schema, where its name stands, and which members serve it. */
export type Form = {
  kind: Kind
  schema: z.ZodType<{ status: Status; sortOrder?: number | undefined }>
  name: string
  serving: readonly string[]
  /** What else is wrong with an item, at paths within it. */
  problems?: (
    definition: Readonly<Record<string, unknown>>,
    binding: Readonly<Record<string, unknown>>,
  ) => Detail[]
}

/** Reads one item, or says all that is wrong with it below `at`. */
export function readItem(
  form: Form,
  value: unknown,
  at: string,
): { record: ItemRecord | undefined; details: Detail[] } {
  // Depth first: what follows may walk by recursion.
  if (isDeeperThan(value, MAX_DEPTH + 1)) {
    const details = [{ path: at, message: `nests deeper than ${MAX_DEPTH} levels` }]
    return { record: undefined, details }
  }
  const checked = form.schema.safeParse(value, { reportInput: true })
  if (!checked.success) return { record: undefined, details: detailsOf(checked.error, at) }
  const { status, sortOrder } = checked.data
  const record = split(form, isObject(value) ? value : {}, { status, sortOrder })
  const details = [
    ...tooLong(at === '' ? record.name : at, record.definition, MAX_DEFINITION_BYTES),
    ...tooLongBinding(record.binding, at),
    ...(form.problems?.(JSON.parse(record.definition), JSON.parse(record.binding)) ?? []).map(
      ({ path, message }) => ({
        path: within(at, path),
        message,
      }),
    ),
  ]
  return { record: details.length > 0 ? undefined : record, details }
}

/** A binding that takes too many bytes, told of the member that takes most. */
function tooLongBinding(binding: string, at: string): Detail[] {
  if (tooLong('', binding, MAX_BINDING_BYTES).length === 0) return []
  const members = Object.entries(JSON.parse(binding) as object).map(
    ([key, value]) => [JSON.stringify(value).length, key] as const,
  )
  const [longest] = members.toSorted(([one], [other]) => other - one)
  return tooLong(within(at, longest?.[1] ?? ''), binding, MAX_BINDING_BYTES)
}

/** A text that takes more bytes of UTF-8 than it may. */
export function tooLong(path: string, text: string, limit: number): Detail[] {
  if (text.length * 3 <= limit) return [] // at most three bytes a UTF-16 unit
  if (text.length <= limit && encodeUtf8(text).length <= limit) return []
  return [{ path, message: `is over ${limit / 1024} KiB` }]
}

/** The text of one item with our members after MCP's; `sortOrder` left out where order tells it. */
export function formatItem(item: ItemRecord, orderTells = false): string {
  const ours = JSON.stringify({
    status: item.status,
    ...(!orderTells && { sortOrder: item.sortOrder }),
  })
  const binding = item.binding === '{}' ? '}' : `,${item.binding.slice(1)}`
  return `${item.definition.slice(0, -1)},${ours.slice(1, -1)}${binding}`
}

function split(
  { kind, name, serving }: Form,
  value: Readonly<Record<string, unknown>>,
  placement: Pick<ItemRecord, 'status' | 'sortOrder'>,
): ItemRecord {
  const ours = new Set(['status', 'sortOrder', ...serving])
  const entries = Object.entries(value)
  return {
    kind,
    name: String(value[name]),
    ...placement,
    definition: JSON.stringify(Object.fromEntries(entries.filter(([key]) => !ours.has(key)))),
    binding: JSON.stringify(Object.fromEntries(entries.filter(([key]) => serving.includes(key)))),
  }
}

function within(at: string, path: string): string {
  return at === '' ? path : `${at}.${path}`
}
