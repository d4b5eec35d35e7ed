/** The admin API's organizations and the audit log. */
import * as z from 'zod'
import { mintId, Slug } from '../../catalog/names.ts'
import { invalid, requireValid } from '../../catalog/issues.ts'
import { allDirectories, organizationOf } from '../../objects/resident.ts'
import { valueOf } from '../../protocol/http-error.ts'
import type { Organization } from '../../objects/organization.ts'
import type { OrganizationStatus } from '../../objects/organization/record.ts'
import { LOCATION_HINTS } from '../../sealing/residence.ts'
import { learnGone, type Platform } from '../platform.ts'
import { learnRemoved } from '../server-writes.ts'
import { ownerOf } from '../sources.ts'
import { learnRevokedKeys } from './learn.ts'
import { DEFAULT_ORGANIZATION, organizationNotFound } from './authorize.ts'
import {
  cursorOf,
  json,
  limitOf,
  noContent,
  pageOf,
  readValid,
  writeOf,
  type AdminCall,
} from './call.ts'

const Name = Slug.refine((name) => name !== DEFAULT_ORGANIZATION.name, 'is reserved')

export const OrganizationBody = z.strictObject({
  name: Name,
  locationHint: z
    .enum(LOCATION_HINTS)
    .optional()
    .meta({ description: 'Where its data is to be kept; only now' }),
})
const Status = z.enum(['active', 'suspended'])
export const OrganizationPatch = z
  .strictObject({
    name: Name.optional(),
    status: Status.optional().meta({
      description:
        'suspended: nobody of it is served by the gateway or this API; its hosted servers go on, and are paused each by itself',
    }),
  })
  .refine((patch) => Object.keys(patch).length > 0, 'must name what changes')
export const OrganizationAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.enum(['active', 'suspended']),
  revision: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

export const AuditAnswer = z.strictObject({
  id: z.int(),
  at: z.iso.datetime(),
  actor: z.string(),
  act: z.string(),
  target: z.string(),
  detail: z.record(z.string(), z.unknown()),
})

export type OperatorCall = Omit<AdminCall, 'organization' | 'stub'>

export async function createOrganization(call: OperatorCall): Promise<Response> {
  const { name, locationHint } = await readValid(call, OrganizationBody)
  const id = mintId('org')
  const stub = organizationOf(call.platform.env, id, locationHint)
  const record = valueOf(await stub.nameAs(id, name, writeOf(call)))
  call.platform.organizations.forget(name)
  return json(JSON.stringify(record), 201, { Location: `/api/v1/organizations/${id}` })
}

/** Organizations by name, from all the directories. */
export async function listOrganizations(call: OperatorCall): Promise<Response> {
  const limit = limitOf(call)
  const after = cursorOf(call)
  const shards = allDirectories(call.platform.env)
  const lists = await Promise.all(
    shards.map((shard) => shard.list('organization', after, 2 * limit + 2)),
  )
  const names = lists
    .flat()
    .filter(({ name, owner }) => name !== owner) // each is there under its id, too
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, owner }) => ({ id: owner, name }))
  return pageOf(call, names, limit, ({ name }) => name)
}

export async function getOrganization(call: OperatorCall): Promise<Response> {
  const stub = await requireStub(call)
  return json(JSON.stringify(valueOf(await stub.describe())))
}

export async function patchOrganization(call: OperatorCall): Promise<Response> {
  const stub = await requireStub(call)
  const { name, status } = await readValid(call, OrganizationPatch)
  const { id, name: before } = valueOf(await stub.describe())
  if (name === undefined) return withStatus(call, stub, status)
  if (id === DEFAULT_ORGANIZATION.id) {
    throw invalid([{ path: 'name', message: `is fixed: "${before}" is used where none is named` }])
  }
  valueOf(await stub.nameAs(id, name, writeOf(call)))
  forget(call.platform, [before, name])
  return withStatus(call, stub, status)
}

/** The organization's record, after its status was changed where that was asked for. */
async function withStatus(
  call: OperatorCall,
  stub: DurableObjectStub<Organization>,
  status: OrganizationStatus | undefined,
): Promise<Response> {
  const outcome =
    status === undefined ? await stub.describe() : await stub.setStatus(status, writeOf(call))
  return json(JSON.stringify(valueOf(outcome)))
}

export async function deleteOrganization(call: OperatorCall): Promise<Response> {
  const stub = await requireStub(call)
  const { id, name } = valueOf(await stub.describe())
  const gone = valueOf(await stub.remove(writeOf(call)))
  const { platform } = call
  for (const server of gone.servers) learnRemoved({ platform, organization: id }, server)
  for (const principal of gone.principals) {
    learnGone(platform, id, principal.id)
    learnRevokedKeys(platform, principal)
  }
  forget(platform, [id, name])
  return noContent()
}

export async function listAudit(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const before = requireValid(
    z.coerce.number().int(),
    cursorOf(call) || `${Number.MAX_SAFE_INTEGER}`,
    'cursor',
  )
  const entries = valueOf(await call.stub.audit(before, limit + 1))
  const items = entries.map((entry) => ({ ...entry, detail: JSON.parse(entry.detail) }))
  return pageOf(call, items, limit, ({ id }) => id)
}

async function requireStub({ platform, params }: OperatorCall) {
  const id = params['id'] ?? ''
  const owned = await ownerOf(platform, 'organization', id)
  if (owned === undefined) throw organizationNotFound(id)
  return organizationOf(platform.env, owned.owner)
}

function forget({ organizations }: Platform, names: readonly string[]): void {
  for (const name of names) organizations.forget(name)
}
