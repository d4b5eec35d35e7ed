/** The admin API's members and agents, and the sessions that members are given. */
import * as z from 'zod'
import { may, messageOf, requireMayGive, type Actor } from '../../callers/may.ts'
import {
  externalHash,
  PERMISSIONS,
  type ExternalId,
  PrincipalSettings,
  ROLES,
} from '../../callers/principal.ts'
import { mintSession } from '../../callers/session-jwt.ts'
import { mintId } from '../../catalog/names.ts'
import type { PrincipalKind, PrincipalRecord } from '../../objects/organization/principals.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { forgetMemberships, learnGone } from '../platform.ts'
import { sessionKeyOf } from '../principals.ts'
import {
  cursorOf,
  etag,
  json,
  limitOf,
  noContent,
  pageOf,
  param,
  readValid,
  writeOf,
  type AdminCall,
} from './call.ts'
import { learnPrincipal, learnRevokedKeys } from './learn.ts'

const Name = z.string().trim().min(1).max(200)
const Status = z.enum(['active', 'suspended'])
const Settings = PrincipalSettings.refine(
  (settings) => JSON.stringify(settings).length <= MAX_SETTINGS_LENGTH,
  'is too long',
).meta({ description: 'Capabilities switched off or on, whole or by operation' })
const MAX_SETTINGS_LENGTH = 64 * 1024

/** Spelt as the issuer spells it in its tokens, to the letter. */
const Person = z.strictObject({
  issuer: z.string().min(1).max(2048),
  subject: z.string().min(1).max(1000),
})
const Role = z.enum(ROLES)
const Permissions = z
  .array(z.enum(PERMISSIONS))
  .transform((permissions) => [...new Set(permissions)].toSorted())

const member = {
  name: Name,
  externalId: Person.optional().meta({
    description: 'The person as an OAuth issuer knows it: iss and sub of its tokens',
  }),
}
const agent = { name: Name }

export const MemberBody = z.strictObject({
  ...member,
  role: Role.default('member'),
  permissions: Permissions.default([]),
  settings: Settings.default({}),
  status: Status.default('active'),
})
export const AgentBody = z.strictObject({
  ...agent,
  settings: Settings.default({}),
  status: Status.default('active'),
})
export const MemberPatch = z.strictObject({
  name: Name.optional(),
  externalId: Person.nullable().optional(),
  role: Role.optional(),
  permissions: Permissions.optional(),
  settings: Settings.optional(),
  status: Status.optional(),
})
export const AgentPatch = z.strictObject({
  name: Name.optional(),
  settings: Settings.optional(),
  status: Status.optional(),
})

const Common = {
  id: z.string(),
  settings: PrincipalSettings,
  status: Status,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
}
export const MemberAnswer = z.strictObject({
  ...Common,
  ...member,
  role: Role,
  permissions: z.array(z.enum(PERMISSIONS)),
})
export const AgentAnswer = z.strictObject({ ...Common, ...agent })

export const SessionBody = z.strictObject({
  externalId: Person.optional().meta({
    description:
      'Who has signed in, which must be this member; the session then opens the other organizations of that person, too',
  }),
})

export const SessionJwtAnswer = z.strictObject({
  token: z.string().meta({ description: 'A JWT: Authorization: Bearer <token>' }),
  expiresAt: z.iso.datetime(),
})

/** Lists the principals of a kind. */
export const listPeople = (kind: PrincipalKind) => async (call: AdminCall) => {
  const limit = limitOf(call)
  const records = valueOf(await call.stub.listPrincipals(kind, cursorOf(call), limit + 1))
  const shown = records.map((record) => formatPerson(call, record))
  return pageOf(call, shown, limit, ({ id }) => id)
}

/** Answers one principal of a kind. */
export const getPerson = (kind: PrincipalKind) => async (call: AdminCall) =>
  answer(call, valueOf(await call.stub.getPrincipal(kind, param(call, 'id'))))

export async function createMember(call: AdminCall): Promise<Response> {
  const body = await readValid(call, MemberBody)
  requireMayGive(call.actor, body.role)
  requireMayName(call, body.externalId)
  return create(call, { ...body, kind: 'member', id: mintId('mem') })
}

export async function createAgent(call: AdminCall): Promise<Response> {
  const body = await readValid(call, AgentBody)
  return create(call, { ...body, kind: 'agent', id: mintId('agt'), permissions: [] })
}

/** Changes a member; nobody gives a role above its own, or touches who has one, or names a person. */
export async function patchMember(call: AdminCall): Promise<Response> {
  const patch = await readValid(call, MemberPatch)
  if (patch.role !== undefined) requireMayGive(call.actor, patch.role)
  requireMayName(call, patch.externalId)
  const write = await writeBelow(call)
  const id = param(call, 'id')
  const isOther = patch.externalId !== undefined
  const before = isOther ? valueOf(await call.stub.getPrincipal('member', id)) : undefined
  const record = valueOf(await call.stub.patchPrincipal('member', id, patch, write))
  for (const one of [before, record]) forgetPerson(call, one)
  return written(call, record)
}

export async function patchAgent(call: AdminCall): Promise<Response> {
  const patch = await readValid(call, AgentPatch)
  const record = await call.stub.patchPrincipal('agent', param(call, 'id'), patch, writeOf(call))
  return written(call, valueOf(record))
}

export async function deleteMember(call: AdminCall): Promise<Response> {
  return remove(call, 'member', await writeBelow(call))
}

export async function deleteAgent(call: AdminCall): Promise<Response> {
  return remove(call, 'agent', writeOf(call))
}

/** A session JWT for a member, for whoever has signed it in. */
export async function createMemberSession(call: AdminCall): Promise<Response> {
  const key = sessionKeyOf(call.platform)
  if (key === undefined) {
    const message = 'This deployment has no SESSION_JWT_SECRET, and so no sessions'
    throw new HttpError(503, 'sessions_not_configured', message)
  }
  const id = param(call, 'id')
  // A request without a body says nothing of who has signed in.
  const isSaid = call.request.headers.has('content-type')
  const { externalId } = isSaid ? await readValid(call, SessionBody) : {}
  const person = externalId && externalHash(externalId)
  valueOf(await call.stub.openMemberSession(id, writeOf(call), person))
  const who = { member: id, organization: call.organization, person }
  const { token, expiresAtMs } = await mintSession(key, who, Date.now())
  return json(JSON.stringify({ token, expiresAt: new Date(expiresAtMs).toISOString() }), 201)
}

type New = Parameters<AdminCall['stub']['createPrincipal']>[0]

async function create(call: AdminCall, principal: New): Promise<Response> {
  const record = valueOf(await call.stub.createPrincipal(principal, writeOf(call)))
  forgetPerson(call, record)
  const location = { Location: `/api/v1/${principal.kind}s/${record.id}` }
  return answer(call, record, 201, location)
}

async function written(call: AdminCall, record: PrincipalRecord): Promise<Response> {
  await learnPrincipal(call, record.id)
  return answer(call, record)
}

/** Drops what is remembered of who a member is, or was. */
function forgetPerson({ platform }: AdminCall, record: PrincipalRecord | undefined): void {
  if (record?.externalId) forgetMemberships(platform, externalHash(record.externalId))
}

async function remove(
  call: AdminCall,
  kind: PrincipalKind,
  write: ReturnType<typeof writeOf>,
): Promise<Response> {
  const gone = valueOf(await call.stub.deletePrincipal(kind, param(call, 'id'), write))
  learnGone(call.platform, call.organization, gone.id)
  learnRevokedKeys(call.platform, gone)
  return noContent()
}

/**
 * Throws 403 where somebody else than the operator says which person a member is: a person is the same in
 * every organization, and nobody proves here to be it.
 */
function requireMayName({ actor }: AdminCall, person: ExternalId | null | undefined): void {
  if (actor === 'operator' || person === undefined || person === null) return
  throw new HttpError(403, 'operator_required', messageOf('operator_required'))
}

/** A write on a member whose role is not above the actor's, and holds for that member as it is. */
async function writeBelow(call: AdminCall): Promise<ReturnType<typeof writeOf>> {
  const write = writeOf(call)
  if (call.actor === 'operator') return write
  const { role, version } = valueOf(await call.stub.getPrincipal('member', param(call, 'id')))
  requireMayGive(call.actor, role ?? 'owner')
  return { ...write, expected: write.expected ?? version }
}

function answer(
  call: Pick<AdminCall, 'actor'>,
  record: PrincipalRecord,
  status = 200,
  headers = {},
): Response {
  const text = JSON.stringify(formatPerson(call, record))
  return json(text, status, { ...etag(record.version), ...headers })
}

/** A principal as answers have it; who a member is elsewhere only for itself and who administers. */
function formatPerson(
  { actor }: Pick<AdminCall, 'actor'>,
  { version: _, kind, permissions, externalId, ...record }: PrincipalRecord,
) {
  if (kind === 'agent') return record
  const isKnown = isOwn(actor, record.id) || may(actor, 'members.identify') === undefined
  return { ...record, permissions, ...(isKnown && externalId && { externalId }) }
}

function isOwn(actor: Actor, id: string): boolean {
  return actor !== 'operator' && actor.principal.id === id
}
