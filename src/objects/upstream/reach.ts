/** The way to a remote server from its Upstream object. What comes back as a fault tells no secret. */
import type { Connection } from '../../upstream/mcp/connection.ts'
import { UpstreamFault } from '../../upstream/mcp/fault.ts'
import type { Post } from '../../upstream/mcp/post.ts'
import { remedyFor } from '../../upstream/mcp/remedy.ts'
import { OpenedSecrets } from '../../upstream/opened-secrets.ts'
import { postTo } from '../../upstream/relay/post-to.ts'
import type { Target } from '../../upstream/relay/target.ts'
import type { Want } from '../../upstream/relay/upstreams.ts'
import type { World } from '../../upstream/world.ts'
import type { Connections } from './connections.ts'

/** A remote server, and how it is asked. */
export type Reach = { target: Target; post: Post; secrets: OpenedSecrets }

const SHARED: Want = { capabilities: {}, session: undefined }

/** Does work on a remote server. */
export async function reaching<T>(
  world: World,
  target: Target,
  work: (reach: Reach) => Promise<T>,
): Promise<T> {
  const secrets = new OpenedSecrets(await world.open(target.organization, target.sealed))
  try {
    return await work({ target, secrets, post: postTo(world, target, secrets) })
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error
    throw error.saying(secrets.redactError(error.message), secrets.redactDeep(error.data))
  }
}

/** Does work over the shared connection, and once more where that was lost (§8.4). */
export async function mending<T>(
  connections: Connections,
  { target, post }: Reach,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connections.find(target, post, SHARED)
  try {
    return await work(connection)
  } catch (error) {
    const remedy = error instanceof UpstreamFault ? remedyFor(error, connection) : undefined
    if (remedy !== 'reopen' && remedy !== 'probe') throw error
    return work(await connections.replace(target, post, SHARED, connection, remedy))
  }
}
