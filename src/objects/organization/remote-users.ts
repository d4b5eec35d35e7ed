/**
 * Which remote servers use what: a secret, a variable, an auth connection, whether a server names it
 * itself or it stands behind something that the server names.
 */
import { referencesOf } from '../../handlers/remote-references.ts'
import type { StoredRemote } from '../../handlers/remote.ts'
import { secretsOf } from '../../handlers/secret.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { findAuth } from './connections.ts'
import { findVariable } from './variables.ts'

/** A server as those who use something are told; with the id of its convai configuration, if it has one. */
export type ServerName = { server: string; configuration?: string; name: string; createdAt: number }

export type UsedKind = 'secret' | 'variable' | 'connection'

type Row = {
  id: string
  name: string
  remote: string
  configuration: string | null
  created_at: number
}

const MAX_NAMES = 10 // in a message

/** Finds the servers that use something, by its kind and name. */
export function remoteUsers(sql: SqlStorage): (kind: UsedKind, name: string) => ServerName[] {
  const query = `SELECT s.id, s.settings ->> '$.name' AS name, s.settings -> '$.remote' AS remote,
      c.id AS configuration, s.created_at
    FROM servers s LEFT JOIN configurations c ON c.server = s.id
    WHERE s.deleted_at IS NULL AND s.settings ->> '$.kind' = 'remote' ORDER BY s.id`
  const servers = sql
    .exec<Row>(query)
    .toArray()
    .map(({ id, name, remote, configuration, created_at }) => ({
      name: { server: id, ...(configuration && { configuration }), name, createdAt: created_at },
      uses: usesOf(sql, JSON.parse(remote) as StoredRemote),
    }))
  return (kind, name) =>
    servers.filter(({ uses }) => uses.has(`${kind} ${name}`)).map((server) => server.name)
}

/** Throws 409 where something is used, naming by whom. */
export function requireUnused(kind: UsedKind, name: string, users: readonly string[]): void {
  if (users.length === 0) return
  const more = users.length > MAX_NAMES ? ` and ${users.length - MAX_NAMES} more` : ''
  const message = `The ${kind} ${name} is used by ${users.slice(0, MAX_NAMES).join(', ')}${more}`
  throw new HttpError(409, `${kind}_in_use`, message)
}

/** Servers as a message names them. */
export function namesOfServers(servers: readonly ServerName[]): string[] {
  return servers.map(({ name }) => `the server "${name}"`)
}

function usesOf(sql: SqlStorage, remote: StoredRemote): ReadonlySet<string> {
  const { secrets, variables, connections } = referencesOf(remote)
  const uses = new Set(variables.map((label) => `variable ${label}`))
  const add = (secret: string) => uses.add(`secret ${secret}`)
  secrets.forEach(add)
  for (const label of variables) {
    for (const value of Object.values(findVariable(sql, label)?.values ?? {})) {
      if (typeof value === 'string') continue
      if ('secret' in value) add(value.secret)
      else connections.push(value.connection)
    }
  }
  for (const id of connections) {
    uses.add(`connection ${id}`)
    const auth = findAuth(sql, id)
    if (auth !== undefined) secretsOf({ auth }).forEach(add)
  }
  return uses
}
