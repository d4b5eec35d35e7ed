/** What an `Upstream` object asks its organization: where the remote server is, and what it was read to offer. */
import { resolveRemote, Unresolvable } from '../../handlers/resolve-remote.ts'
import { secretsOf, usesAccount } from '../../handlers/secret.ts'
import { isObject } from '../../protocol/json-rpc.ts'
import type { SealedAccount } from '../../upstream/world.ts'
import type { Resolved } from '../../upstream/relay/target.ts'
import { findReader } from './account-rows.ts'
import { findConnection } from './connections.ts'
import { findSealed } from './secrets.ts'
import { findServer } from './servers.ts'
import { readLists } from './snapshots.ts'
import { findVariable } from './variables.ts'

/** The auth connection that a remote server is reached by, and how it fared. */
type UsedConnection = { id: string; status: string }

/**
 * The remote server behind a server as it is in an environment, with the secrets it needs, sealed, and
 * an account of the organization where it is reached with one; undefined for none.
 */
export function findRemote(
  sql: SqlStorage,
  id: string,
  environment: string,
): (Resolved & { account?: SealedAccount; connection?: UsedConnection }) | undefined {
  const stored = findServer(sql, id).live?.settings.remote
  if (stored === undefined) return undefined
  const used: { connection?: UsedConnection } = {}
  const authOf = (name: string) => {
    const found = findConnection(sql, name)
    if (found !== undefined) used.connection = { id: name, status: found.status }
    return found?.auth
  }
  try {
    const remote = resolveRemote(stored, environment, {
      variable: (label) => findVariable(sql, label),
      connection: authOf,
    })
    const sealed: Record<string, string> = {}
    for (const name of secretsOf(remote)) {
      const text = findSealed(sql, name)
      if (text !== undefined) sealed[name] = text
    }
    const account = usesAccount(remote) ? findReader(sql, id) : undefined
    return { remote, sealed, environment, ...(account && { account }), ...used }
  } catch (error) {
    if (error instanceof Unresolvable) return { problem: error.message }
    throw error
  }
}

/** The input schema of a tool by its name at the remote server; undefined for none. */
export function findSchema(sql: SqlStorage, id: string, tool: string): unknown {
  const definitions = readLists(sql, id).tools.map((text): unknown => JSON.parse(text))
  return definitions.filter(isObject).find(({ name }) => name === tool)?.['inputSchema']
}
