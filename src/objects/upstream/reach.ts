/** The way to a remote server from its Upstream object. What comes back as a fault tells no secret. */
import type { Connection } from '../../upstream/mcp/connection.ts'
import { UpstreamFault } from '../../upstream/mcp/fault.ts'
import { remedyFor } from '../../upstream/mcp/remedy.ts'
import { reach, withoutSecrets, type Reach } from '../../upstream/relay/post-to.ts'
import type { Target } from '../../upstream/relay/target.ts'
import type { Want } from '../../upstream/relay/upstreams.ts'
import type { World } from '../../upstream/world.ts'
import type { Connections } from './connections.ts'

/** A remote server, and how it is asked. */
export type Reached = Reach & { target: Target }

const SHARED: Want = { capabilities: {}, session: undefined }

/** Does work on a remote server. */
export async function reaching<T>(
  world: World,
  target: Target,
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  const way = await reach(world, target)
  try {
    return await work({ ...way, target })
  } catch (error) {
    throw withoutSecrets(error, way.secrets)
  }
}

/** Does work over the shared connection, and once more where that was lost (§8.4). */
export async function mending<T>(
  connections: Connections,
  reached: Reached,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { target } = reached
  const connection = await connections.find(target, reached, SHARED)
  try {
    return await work(connection)
  } catch (error) {
    const remedy = error instanceof UpstreamFault ? remedyFor(error, connection) : undefined
    if (remedy !== 'reopen' && remedy !== 'probe') throw error
    return work(await connections.replace(target, reached, SHARED, connection, remedy))
  }
}
