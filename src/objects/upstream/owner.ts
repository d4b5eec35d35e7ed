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
 * The remote server as the organization has it, or why it cannot be reached; undefined for none. Its
 * account is as it is stored: a token that lives for a moment is not another at each look.
 */
export async function storedRemote(
  stub: Stub,
  owner: Owner,
  environment: string,
): Promise<Found | Problem | undefined> {
  const { organization, server } = owner
  const found = await stub.remote(server, environment)
  if (found === undefined || 'problem' in found) return found
  return { organization, server, ...found, hops: 0 }
}

/** The same, to be reached: the token of an account that it is reached with is refreshed before it ends. */
export async function findRemote(
  world: World,
  stub: Stub,
  owner: Owner,
  environment: string,
): Promise<Found | Problem | undefined> {
  const target = await storedRemote(stub, owner, environment)
  if (target === undefined || 'problem' in target || target.account === undefined) return target
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
