/** The admin API's call log (`surfaces.md` A35): which tools were called by whom, and what came of it. */
import * as z from 'zod'
import { invalid, requireValid } from '../../catalog/issues.ts'
import { ServerId, ToolName } from '../../catalog/names.ts'
import type { CallPlace, CallRecord } from '../../objects/organization/calls.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { cursorOf, formatPage, json, limitOf, writeOf, type AdminCall } from './call.ts'

const MAX_TEXT_LENGTH = 100

const Outcome = z.enum(['ok', 'error', 'cancelled'])
const Text = z.string().min(1).max(MAX_TEXT_LENGTH)
const Time = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-07-28T12:00:00Z' })
  .transform((text) => Date.parse(text))

/** Strict: a misspelt filter would delete more than was meant. */
const Filter = z.strictObject({
  server: ServerId.optional(),
  tool: ToolName.optional(),
  caller: Text.optional(),
  outcome: Outcome.optional(),
  from: Time.optional(),
  to: Time.optional(),
  q: Text.optional(),
})
const Page = { limit: z.string().optional(), cursor: z.string().optional() }

/** The filters as the API's document has them. */
export const FILTERS: Readonly<Record<keyof z.infer<typeof Filter>, string>> = {
  server: 'Calls on this server, by id',
  tool: 'Calls of the tools of this name',
  caller: 'Calls by this key, by id; or anonymous, or operator',
  outcome: 'ok, error or cancelled',
  from: 'Calls that began at this time or later',
  to: 'Calls that began before this time',
  q: 'A text in problem, in whatever case; at most 100 characters',
}

export const CallAnswer = z.strictObject({
  at: z.iso.datetime(),
  server: z.string(),
  tool: z.string(),
  caller: z.string().meta({ description: 'Id of the key, or anonymous, or operator' }),
  outcome: Outcome,
  status: z.int().optional().meta({ description: "Status of the upstream's answer" }),
  ms: z.int(),
  bytes: z
    .int()
    .optional()
    .meta({ description: "Of the upstream's answer, or else of the result" }),
  problem: z.string().optional(),
})

export const DeletedAnswer = z.strictObject({ deleted: z.int() })

export async function listCalls(call: AdminCall): Promise<Response> {
  const { limit: _, cursor: __, ...filter } = requireValid(Filter.extend(Page), queryOf(call))
  const limit = limitOf(call)
  const before = requirePlace(cursorOf(call))
  const records = valueOf(await call.stub.listCalls(filter, before, limit + 1))
  const items = records.slice(0, limit)
  const last = records.length > limit ? items.at(-1) : undefined
  return json(formatPage(call, items.map(formatCall), last && `${last.at} ${last.id}`))
}

export async function deleteCalls(call: AdminCall): Promise<Response> {
  const filter = requireValid(Filter, queryOf(call))
  if (Object.keys(filter).length === 0) {
    throw invalid([{ path: '', message: `needs one of ${Object.keys(FILTERS).join(', ')}` }])
  }
  const deleted = valueOf(await call.stub.deleteCalls(filter, writeOf(call)))
  return json(JSON.stringify({ deleted }))
}

function formatCall({ id: _, at, ...call }: CallRecord): string {
  return JSON.stringify({ at: new Date(at).toISOString(), ...call })
}

function queryOf({ query }: AdminCall): Record<string, string> {
  return Object.fromEntries(query)
}

/** The place the log goes on from, from its cursor. */
function requirePlace(cursor: string): CallPlace {
  if (cursor === '') return { at: Number.MAX_SAFE_INTEGER, id: 0 }
  const [, at, id] = /^(\d{1,15}) (\d{1,15})$/.exec(cursor) ?? []
  if (id === undefined) throw invalid([{ path: 'cursor', message: 'is not one of ours' }])
  return { at: Number(at), id: Number(id) }
}
