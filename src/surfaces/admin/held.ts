/**
 * The admin API's held calls (`surfaces.md` C48): what waits for a person, and the decision. What was
 * asked for, and the link to decide, is shown to who may decide alone, which no key may.
 */
import * as z from 'zod'
import { may } from '../../callers/may.ts'
import { requireValid } from '../../catalog/issues.ts'
import type { HeldRecord } from '../../objects/organization/held-records.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { approvalLink, tellDecided } from '../approval-link.ts'
import { cursorOf, json, limitOf, pageOf, param, writeOf, type AdminCall } from './call.ts'

const MAX_ITEMS = 100 // each with 64 KiB of arguments

export const STATES = [
  'pending',
  'approved',
  'denied',
  'expired',
  'running',
  'done',
  'unknown',
] as const
const State = z.enum(STATES)

export const HeldAnswer = z.strictObject({
  id: z.string(),
  state: State,
  principal: z.strictObject({
    id: z.string(),
    kind: z.enum(['member', 'agent']).nullable(),
    name: z.string().nullable(),
  }),
  credential: z.string().meta({ description: 'Id of the key, or of the member who is signed in' }),
  server: z.strictObject({ id: z.string(), name: z.string().nullable() }),
  tool: z.string().meta({ description: 'Its name on its server' }),
  name: z.string().meta({ description: 'Its name on the gateway' }),
  account: z.string().nullable().meta({ description: 'The alias that was named' }),
  environment: z.string().nullable(),
  digest: z.string().meta({ description: 'SHA-256 of the arguments, as canonical JSON' }),
  arguments: z.unknown().optional().meta({
    description: 'For who may decide, until the call is over',
  }),
  url: z.string().optional().meta({
    description:
      'A page to decide on, good for ten minutes; for who may decide, while it is pending',
  }),
  decidedBy: z.string().nullable(),
  createdAt: z.iso.datetime(),
  decidedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable().meta({
    description:
      'When it expires unless its caller waits; null once it is decided and begun, or over',
  }),
})

export async function listHeld(call: AdminCall): Promise<Response> {
  const state = requireValid(State.optional(), call.query.get('state') ?? undefined, 'state')
  const limit = Math.min(limitOf(call), MAX_ITEMS)
  const cursor = cursorOf(call) || `${Number.MAX_SAFE_INTEGER}`
  const before = requireValid(z.coerce.number().int(), cursor, 'cursor')
  const mayDecide = may(call.actor, 'approvals.decide') === undefined
  const page = { before, limit: limit + 1 }
  const records = valueOf(await call.stub.listHeld(state, page, mayDecide))
  const items = await Promise.all(
    records.map(async (record) => ({
      n: record.n,
      answer: await toAnswer(call, record, mayDecide),
    })),
  )
  const last = items[limit - 1]
  return pageOf(
    call,
    items.map(({ answer }) => answer),
    limit,
    () => last?.n ?? 0,
  )
}

/** The decision of a person, as a handler. */
export function decideHeld(state: 'approved' | 'denied') {
  return async (call: AdminCall): Promise<Response> => {
    const record = valueOf(await call.stub.decideHeld(param(call, 'id'), state, writeOf(call)))
    tellDecided(call, record)
    return json(JSON.stringify(await toAnswer(call, record, true)))
  }
}

async function toAnswer(
  call: AdminCall,
  { n: _, arguments: text, ...record }: HeldRecord,
  mayDecide: boolean,
) {
  const isOpen = mayDecide && record.state === 'pending'
  const url = isOpen ? await approvalLink(call, record.id, call.actor) : undefined
  return {
    ...record,
    ...(text !== undefined && { arguments: JSON.parse(text) as unknown }),
    ...(url !== undefined && { url }),
  }
}
