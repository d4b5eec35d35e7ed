/**
 * What serving a call needs of others: a server's catalog no older than something else is known to
 * be, and secrets, which come from the organization alone (`design.md` §2).
 */
import type { Catalog } from '../catalog/catalog.ts'
import type { Gone } from '../catalog/published.ts'
import type { ResolvedRemote } from '../handlers/remote.ts'
import { secretsOf, usesVariables } from '../handlers/secret.ts'
import { DEFAULT_ENVIRONMENT } from '../handlers/variable.ts'
import type { Resolved } from '../upstream/relay/target.ts'
import { Unavailable } from '../memory/lookup.ts'
import type { Exchange } from '../methods/exchange.ts'
import type { Sealed } from '../upstream/world.ts'
import { learnRevision, type Platform, type Told, type Visit } from './platform.ts'
import { remoteSource, secretSource, serverSource } from './sources.ts'

/** A server at a revision or a newer one; undefined where there is none. */
export async function serverAtLeast(
  platform: Platform,
  visit: Visit,
  told: Told & { id: string },
): Promise<Catalog | Gone | undefined> {
  learnRevision(platform, told)
  const source = serverSource(platform, visit)
  const { value } = await platform.servers.find(told.id, source, visit.waitUntil)
  return value
}

/** Sealed secrets no older than 5 s, without a promise where all of them are remembered. */
function sealedSecrets(
  platform: Platform,
  visit: Visit,
  organization: string,
  names: readonly string[],
): Sealed | Promise<Sealed | undefined> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const fresh = platform.secrets.fresh(secretKey(organization, name))
    if (fresh === undefined) return findSecrets(platform, visit, organization, names)
    if (fresh.value !== undefined) found[name] = fresh.value
  }
  return found
}

/** The same of those that may have to be asked for; undefined when the organization cannot be asked. */
async function findSecrets(
  platform: Platform,
  visit: Visit,
  organization: string,
  names: readonly string[],
): Promise<Sealed | undefined> {
  const source = secretSource(platform, organization)
  const found: Record<string, string> = {}
  try {
    for (const name of names) {
      const key = secretKey(organization, name)
      const { value } = await platform.secrets.find(key, source, visit.waitUntil)
      if (value !== undefined) found[name] = value
    }
  } catch (error) {
    if (error instanceof Unavailable) return undefined // the call then says to retry
    throw error
  }
  return found
}

function secretKey(organization: string, name: string): string {
  return `${organization} ${name}`
}

/** How a remote server is reached in an environment, as of 5 s ago at most; undefined when nobody can be asked. */
async function resolved(
  platform: Platform,
  visit: Visit,
  { organization, id, revision, settings }: Catalog,
  environment: string,
): Promise<Resolved | undefined> {
  const { remote } = settings
  if (remote === undefined) throw new Error('a server that is not remote')
  if (!usesVariables(remote) && secretsOf(remote).length === 0) {
    return { remote: remote as ResolvedRemote, sealed: {} }
  }
  const name = [organization, id, revision, environment].join(' ')
  const source = remoteSource(platform, { organization, id, environment })
  try {
    return (await platform.remotes.find(name, source, visit.waitUntil)).value
  } catch (error) {
    if (error instanceof Unavailable) return undefined // the request then says to retry
    throw error
  }
}

/** What methods are given on every surface: of the request, and of what all of an isolate shares. */
export function commonExchange(
  platform: Platform,
  visit: Visit,
  catalog: Catalog,
  environment = DEFAULT_ENVIRONMENT,
) {
  return {
    catalog,
    headers: visit.request.headers,
    cursorKeys: platform.cursorKeys,
    world: platform.world,
    note: (entry) => platform.calls.add(entry, visit.waitUntil),
    sealed: (names) => sealedSecrets(platform, visit, catalog.organization, names),
    resolve: () => resolved(platform, visit, catalog, environment),
    waitUntil: visit.waitUntil,
  } satisfies Partial<Exchange>
}
