/** Links by which a person connects an account, for the admin API and `manage__*` alike (C49, D14). */
import type { ConnectWish } from '../objects/organization/connect-commands.ts'
import type { ConnectRecord } from '../objects/organization/connects.ts'
import type { ExternalId } from '../callers/principal.ts'
import type { Write } from '../objects/organization/context.ts'
import { HttpError, valueOf } from '../protocol/http-error.ts'
import { ownerSeenBy, requireMayWrite } from './account-acts.ts'
import type { Acting } from './acting.ts'
import { linkTo, publicOrigin } from './link.ts'
import type { Platform } from './platform.ts'

export type ConnectLink = { id: string; url: string; expiresAt: string }

/** Makes a link for an account that the actor may write; 409 where its holder could not sign in. */
export async function createConnectLink(
  acting: Acting,
  wish: ConnectWish,
  write: Write,
): Promise<ConnectLink> {
  const { actor, platform, visit, organization, stub } = acting
  requireMayWrite(actor, wish, 'accounts')
  publicOrigin(platform, visit.request) // before anything is written
  const person = wish.owner ?? (actor === 'operator' ? undefined : actor.principal.id)
  if (person !== undefined && signInIssuers(platform).length > 0) {
    const { externalId } = valueOf(await stub.getPrincipal('member', person))
    requireSignIn(platform, externalId)
  }
  const { id, expiresAt } = valueOf(await stub.createConnect(wish, write))
  const ticket = { organization, id, expiresAtMs: Date.parse(expiresAt) }
  return { id, expiresAt, url: await linkTo(platform, visit.request, 'connect', ticket) }
}

/** A connect that the actor sees: its own account's, or as an admin; 404 for another's. */
export async function requireVisibleConnect(
  { actor, stub }: Pick<Acting, 'actor' | 'stub'>,
  id: string,
): Promise<ConnectRecord> {
  const connect = valueOf(await stub.getConnect(id))
  const owner = ownerSeenBy(actor)
  if (owner === undefined || connect.owner === owner) return connect
  throw new HttpError(404, 'connect_not_found', `There is no connect ${id}`)
}

/** Where people can sign in on our pages. */
export function signInIssuers({ settings }: Pick<Platform, 'settings'>) {
  return settings.OAUTH_ISSUERS.filter(({ clientId }) => clientId !== undefined)
}

/** The issuer that a person signs in at; 409 where the deployment has some and not this one. */
export function requireSignIn(platform: Platform, person: ExternalId | undefined) {
  const issuers = signInIssuers(platform)
  const issuer = issuers.find((one) => one.issuer === person?.issuer)
  if (issuer !== undefined || issuers.length === 0) return issuer
  const message = 'The member has no externalId of an issuer that people sign in at here'
  throw new HttpError(409, 'member_not_identified', message)
}
