/**
 * Who administers: the operator, by the deployment's token, in the organization that the header
 * `Rollcall-Organization` names (its name or id). `default` is made when it is first asked for.
 */
import { presentedSecret } from '../../callers/presented.ts'
import type { Source } from '../../memory/lookup.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { countFailedCredential } from '../limits.ts'
import type { Platform, Visit } from '../platform.ts'
import { organizationSource } from '../sources.ts'

export const OPERATOR = 'operator'
export const DEFAULT_ORGANIZATION = { id: 'org_default', name: 'default' }

/** Throws 401 unless the request carries the operator's token. */
export async function requireOperator(
  platform: Platform,
  visit: Visit,
  headers: Headers,
): Promise<void> {
  const secret = presentedSecret(headers)
  const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="rollcall admin"' } }
  if (secret === undefined) {
    throw new HttpError(
      401,
      'missing_authorization',
      'Authorization: Bearer <operator token> is needed',
      challenge,
    )
  }
  // Digests are compared, so the time it takes says nothing about the token.
  if (sha256Hex(secret) === sha256Hex(platform.settings.OPERATOR_TOKEN)) return
  await countFailedCredential(platform, visit)
  throw new HttpError(401, 'invalid_token', 'This is not the operator token', challenge)
}

/** The id of the organization a request is about, or 404. */
export async function requireOrganizationId(
  platform: Platform,
  visit: Visit,
  headers: Headers,
): Promise<string> {
  const name = headers.get('rollcall-organization') ?? DEFAULT_ORGANIZATION.name
  const isDefault = name === DEFAULT_ORGANIZATION.name
  const source = isDefault ? defaultSource(platform) : organizationSource(platform)
  const { value } = await platform.organizations.find(name, source, visit.waitUntil)
  if (value === undefined) throw organizationNotFound(name)
  return value
}

export function organizationNotFound(name: string): HttpError {
  return new HttpError(
    404,
    'organization_not_found',
    `There is no organization "${name.slice(0, 80)}"`,
  )
}

/** The default organization has an id that is known, so that many first requests make one. */
function defaultSource(platform: Platform): Source<string> {
  return {
    ...organizationSource(platform),
    async origin() {
      const { id, name } = DEFAULT_ORGANIZATION
      valueOf(await platform.env.ORGANIZATION.getByName(id).ensure(name, { actor: OPERATOR }))
      return { value: id, bytes: id.length }
    },
  }
}
