/** Who uses a secret or an auth connection, as convai tells it: of what it knows, MCP servers alone. */
import { may, type Actor } from '../../callers/may.ts'
import type { ServerName } from '../../objects/organization/remote-users.ts'

/** The configurations that use something; a server that has none is but its id. */
export function formatUsers(actor: Actor, users: readonly ServerName[]) {
  const access = accessLevelOf(actor)
  return users.map(({ server, configuration, name, createdAt }) =>
    configuration === undefined
      ? { type: 'unknown', id: server }
      : {
          type: 'available',
          id: configuration,
          name,
          created_at_unix_secs: Math.floor(createdAt / 1000),
          access_level: access,
        },
  )
}

/** What an actor may do to a configuration. */
function accessLevelOf(actor: Actor): 'admin' | 'editor' | 'viewer' {
  if (may(actor, 'servers.write') === undefined) return 'admin'
  return may(actor, 'remote.write') === undefined ? 'editor' : 'viewer'
}
