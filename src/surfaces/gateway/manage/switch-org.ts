/**
 * `manage__switch_org`: the organizations of who is signed in, and a session in another of them
 * (`surfaces.md` D26). A session proves its own member; only one that was made for a person proves that
 * person's members elsewhere, since any admin may write whatever person into a member of its own.
 */
import * as z from 'zod'
import { ROLES } from '../../../callers/principal.ts'
import { mintSession } from '../../../callers/session-jwt.ts'
import type { Owned } from '../../../objects/directory.ts'
import { organizationOf } from '../../../objects/resident.ts'
import { HttpError, valueOf } from '../../../protocol/http-error.ts'
import { membershipsOf, sessionKeyOf } from '../../principals.ts'
import { ADDS, manageTool, type ManageCall } from './manage-tool.ts'

const Organization = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  current: z.boolean().meta({ description: 'Whether this session is in it' }),
})
type Organization = z.infer<typeof Organization>

export const switchOrg = manageTool({
  operation: 'switch_org',
  act: 'organization.switch',
  title: 'Switch organization',
  description:
    'Lists the organizations you are a member of; with `organization`, also gives a session token for that one, which ends when the session in use does. Needs a signed-in session; no API key can do this.',
  input: z.strictObject({
    organization: z.string().max(200).optional().meta({
      description: 'Id or name of the one to switch to; absent: only list them',
    }),
  }),
  output: z.strictObject({
    organizations: z.array(Organization),
    session: z
      .strictObject({
        organization: z.string().meta({ description: 'Id' }),
        token: z.string().meta({ description: 'Authorization: Bearer <token>' }),
        expiresAt: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: 'null where none was asked for' }),
  }),
  hints: ADDS,
  async run(call, { organization: named }) {
    const found = await organizationsOf(call)
    const organizations = found.map(({ organization }) => organization)
    if (named === undefined) return { organizations, session: null }
    const chosen =
      found.find(({ organization }) => organization.id === named) ??
      found.find(({ organization }) => organization.name === named)
    if (chosen === undefined) {
      const message = 'You are a member of no such organization'
      throw new HttpError(404, 'organization_not_found', message)
    }
    const session = await openSession(call, chosen.membership)
    return { organizations, session: { organization: chosen.organization.id, ...session } }
  },
})

/** Where the session in use makes its caller a member, its own organization first. */
async function organizationsOf({ platform, visit, site, organization: current }: ManageCall) {
  const { credential, principal } = site.caller
  const { person } = credential
  const others = person === undefined ? [] : await membershipsOf(platform, visit, person)
  const own = { owner: current, target: principal.id }
  const memberships = [own, ...others.filter(({ owner }) => owner !== current)]
  const found = await Promise.all(
    memberships.map(async (membership) => {
      const { owner, target } = membership
      const stub = organizationOf(platform.env, owner)
      const proof = owner === current ? undefined : person
      const outcome = await stub.describeMembership(target, proof)
      if ('refusal' in outcome || outcome.value === undefined) return []
      const organization: Organization = { ...outcome.value, current: owner === current }
      return [{ membership, organization }]
    }),
  )
  return found.flat()
}

/** A session of a member that lasts no longer than the one in use: switching prolongs nothing. */
async function openSession({ platform, site }: ManageCall, { owner, target }: Owned) {
  const { person, expiresAtMs: endMs } = site.caller.credential
  const now = Date.now()
  const seconds = Math.floor((endMs - now) / 1000)
  const key = sessionKeyOf(platform)
  if (key === undefined || seconds < 1) {
    throw new HttpError(403, 'session_required', 'This session is over; sign in again')
  }
  const stub = organizationOf(platform.env, owner)
  const proof = owner === site.caller.principal.organization ? undefined : person
  valueOf(await stub.openMemberSession(target, { actor: target }, proof))
  const who = { member: target, organization: owner, person }
  const { token, expiresAtMs } = await mintSession(key, who, now, seconds)
  return { token, expiresAt: new Date(expiresAtMs).toISOString() }
}
