/** What an Upstream asks the organization that its remote server belongs to, and tells it. */
import { DEFAULT_REFRESH_SECONDS } from '../../handlers/remote.ts'
import { UpstreamFault } from '../../upstream/mcp/fault.ts'
import type { Target } from '../../upstream/relay/target.ts'
import type { World } from '../../upstream/world.ts'
import { freshAccount } from '../fresh-account.ts'
import type { Organization } from '../organization.ts'
import { statusAfter } from './connection-status.ts'

/** Whose server it is. */
export type Owner = { organization: string; server: string }

/** Why something could not be had, in words that say what there is to do and hold no secret. */
export type Problem = { problem: string }

/** A remote server in an environment, with the auth connection that it is reached by. */
export type Found = Target & { connection?: { id: string; status: string } }

type Stub = DurableObjectStub<Organization>

/**
 * The remote server as the organization has it, or why it cannot be reached; undefined for none. With
 * a world, the token of an account that it is reached with is refreshed before it ends; that is another
 * target then, so whoever only compares leaves it.
 */
export async function findRemote(
  stub: Stub,
  owner: Owner,
  environment: string,
  world: World | undefined,
): Promise<Found | Problem | undefined> {
  const found = await stub.remote(owner.server, environment)
  if (found === undefined || 'problem' in found) return found
  const target: Found = { ...owner, ...found, hops: 0 }
  if (target.account === undefined || world === undefined) return target
  const { organization } = owner
  const fresh = await freshAccount({ world, organization, stub }, target.account)
  return 'refused' in fresh ? { problem: fresh.refused.message } : { ...target, ...fresh }
}

/** Tells whether a token can be had by the auth connection, where a visit showed that this has changed. */
export async function tellConnection(
  organization: Stub,
  { connection }: Found,
  outcome: unknown,
): Promise<void> {
  if (connection === undefined) return
  const fault = outcome instanceof UpstreamFault ? outcome : undefined
  const status = statusAfter(connection.status, fault)
  if (status !== undefined) await organization.noteConnection(connection.id, status)
}

/** How often the lists are read, of a server whose settings cannot be had too. */
export function everyMsOf(target?: Target): number {
  return 1000 * (target?.remote.refreshSeconds ?? DEFAULT_REFRESH_SECONDS)
}
