/** The admin API's keys: a key's secret is answered once. Members see and end their own. */
import * as z from 'zod'
import { may, requireMay, requireMayGive, type Act, type Actor } from '../../callers/may.ts'
import { ROLES } from '../../callers/principal.ts'
import { KEY_KINDS, mintKey, type KeyKind } from '../../callers/secret.ts'
import { invalid } from '../../catalog/issues.ts'
import { mintId, ServerId, ToolName } from '../../catalog/names.ts'
import type { KeyRecord } from '../../objects/organization/credentials.ts'
import type { NewPrincipal } from '../../objects/organization/principals.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { learnRevoked } from '../platform.ts'
import {
  cursorOf,
  json,
  limitOf,
  noContent,
  pageOf,
  param,
  readValid,
  writeOf,
  type AdminCall,
} from './call.ts'

const LAST_MS = Date.UTC(9999) // later years have no four digits
const MAX_MONTHLY_CAP = 1_000_000_000

const Common = {
  name: z.string().trim().min(1).max(200),
  expiresAt: z.iso
    .datetime({ offset: true })
    // What is no time at all is told once, by its form.
    .refine((at) => !(Date.parse(at) <= Date.now()), 'must be in the future')
    .refine((at) => !(Date.parse(at) > LAST_MS), 'must be before the year 9999')
    .optional(),
}
const Environment = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the name of an environment')
const OfPrincipal = {
  ...Common,
  environment: Environment.optional().meta({ description: 'The environment it is bound to' }),
  monthlyCap: z
    .int()
    .min(0)
    .max(MAX_MONTHLY_CAP)
    .optional()
    .meta({ description: 'Calls in a calendar month, UTC; absent: no cap' }),
}

export const KeyBody = z.discriminatedUnion('kind', [
  z.strictObject({
    ...Common,
    kind: z.literal('server').default('server'),
    server: ServerId.meta({ description: 'The server the key opens' }),
    tools: z
      .array(ToolName)
      .max(10_000)
      .optional()
      .meta({ description: 'The tools it sees; absent: all' }),
  }),
  z.strictObject({
    ...OfPrincipal,
    kind: z.literal('member'),
    principal: z.string().max(100).optional().meta({
      description: 'The member; absent: oneself, or a new member of the name and role',
    }),
    role: z.enum(ROLES).optional().meta({ description: 'Of a new member; default: member' }),
  }),
  z.strictObject({
    ...OfPrincipal,
    kind: z.literal('agent'),
    principal: z.string().max(100).optional().meta({
      description: 'The agent; absent: a new one of the name',
    }),
  }),
])
type KeyBody = z.infer<typeof KeyBody>

export const KeyAnswer = z.strictObject({
  id: z.string(),
  kind: z.enum(KEY_KINDS),
  name: z.string(),
  server: ServerId.optional(),
  tools: z.array(ToolName).optional(),
  principal: z.string().optional().meta({ description: 'Id of the member or agent' }),
  environment: Environment.optional(),
  monthlyCap: z.int().optional(),
  lastFour: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
})

export const NewKeyAnswer = KeyAnswer.extend({
  secret: z.string().meta({ description: 'Answered here and nowhere else' }),
})

export async function createKey(call: AdminCall): Promise<Response> {
  const body = await readValid(call, KeyBody)
  const { made, principal } = holderOf(call.actor, body)
  const secret = mintKey(body.kind)
  const { name, expiresAt } = body
  const key = {
    ...(body.kind === 'server'
      ? { server: body.server, tools: body.tools }
      : { principal, environment: body.environment, monthlyCap: body.monthlyCap }),
    id: mintId('key'),
    kind: body.kind,
    name,
    expiresAt,
    ...minted(secret),
  }
  const record = valueOf(await call.stub.createKey(key, writeOf(call), made))
  return json(JSON.stringify({ ...record, secret }), 201)
}

export async function listKeys(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const { actor, query } = call
  const seesAll = may(actor, 'keys.read') === undefined
  const own = actor === 'operator' ? undefined : actor.principal.id
  const filter = {
    server: query.get('server') ?? undefined,
    principal: seesAll ? (query.get('principal') ?? undefined) : own,
  }
  const records = valueOf(await call.stub.listKeys(filter, cursorOf(call), limit + 1))
  return pageOf(call, records, limit, ({ id }) => id)
}

export async function getKey(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(await requireVisibleKey(call)))
}

/** Gives a key another secret; who may is who might have made it. */
export async function rotateKey(call: AdminCall): Promise<Response> {
  const key = await requireVisibleKey(call)
  requireMay(call.actor, mintActOf(call.actor, key))
  const secret = mintKey(key.kind)
  const rotated = valueOf(await call.stub.rotateKey(key.id, minted(secret), writeOf(call)))
  learnRevoked(call.platform, rotated.oldHash)
  return json(JSON.stringify({ ...rotated.key, secret }))
}

export async function deleteKey(call: AdminCall): Promise<Response> {
  const key = await requireVisibleKey(call)
  if (!isOwn(call.actor, key)) {
    requireMay(call.actor, 'keys.revoke')
    if (key.kind === 'member') {
      const member = await call.stub.getPrincipal('member', key.principal ?? '')
      requireMayGive(call.actor, valueOf(member).role ?? 'owner')
    }
  }
  const { hash } = valueOf(await call.stub.deleteKey(key.id, writeOf(call)))
  learnRevoked(call.platform, hash)
  return noContent()
}

/** Whose a new key is; throws unless the actor may make it. */
function holderOf(
  actor: Actor,
  body: KeyBody,
): { principal?: string; made?: NewPrincipal | undefined } {
  if (body.kind === 'member' && body.principal !== undefined && body.role !== undefined) {
    throw invalid([{ path: 'role', message: 'is of a new member alone' }])
  }
  const own = actor !== 'operator' && body.kind === 'member' ? actor.principal.id : undefined
  const named = body.kind === 'server' ? undefined : (body.principal ?? own)
  requireMay(actor, mintActOf(actor, { kind: body.kind, principal: named }))
  if (body.kind === 'server') return {}
  if (named !== undefined) {
    if (body.kind === 'agent' || body.role === undefined) return { principal: named }
    throw invalid([{ path: 'role', message: 'cannot be given with a key of one’s own' }])
  }
  const { kind, name } = body
  const id = mintId(kind === 'member' ? 'mem' : 'agt')
  const common = { id, kind, name, permissions: [], settings: {}, status: 'active' as const }
  const made = body.kind === 'member' ? { ...common, role: body.role ?? 'member' } : common
  return { principal: id, made }
}

/** What making a key's secret is: a key of another member would be that member. */
function mintActOf(actor: Actor, key: { kind: KeyKind; principal?: string | undefined }): Act {
  if (key.kind !== 'member') return 'keys.mint'
  return isOwn(actor, key) ? 'keys.mint.own' : 'keys.mint.other'
}

/** A key that the actor may see; 404 for another's as for a made-up one. */
async function requireVisibleKey(call: AdminCall): Promise<KeyRecord> {
  const id = param(call, 'id')
  const key = valueOf(await call.stub.getKey(id))
  if (isOwn(call.actor, key) || may(call.actor, 'keys.read') === undefined) return key
  throw new HttpError(404, 'key_not_found', `There is no key ${id}`)
}

function isOwn(actor: Actor, { principal }: { principal?: string | undefined }): boolean {
  return actor !== 'operator' && principal !== undefined && actor.principal.id === principal
}

function minted(secret: string): { hash: string; lastFour: string } {
  return { hash: sha256Hex(secret), lastFour: secret.slice(-4) }
}
