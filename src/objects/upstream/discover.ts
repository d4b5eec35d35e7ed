/**
 * Discovery: the tools of a remote server as they are now, all pages (`surfaces.md` B20), within the
 * server's time-out as a whole. It reads nothing of what is stored, and stores nothing.
 */
import { DEFAULT_REMOTE_TIMEOUT_SECONDS } from '../../handlers/remote.ts'
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { startDeadline } from '../../upstream/mcp/deadline.ts'
import { UpstreamFault } from '../../upstream/mcp/fault.ts'
import type { Target } from '../../upstream/relay/target.ts'
import type { World } from '../../upstream/world.ts'
import type { Connections } from './connections.ts'
import { mending, reaching, type Reached } from './reach.ts'
import { MAX_LISTS_BYTES, readList } from './read-lists.ts'

/** Tools without secrets as the bytes of a JSON array, with how many were unfit to be among them. */
export type Tools = {
  tools: Uint8Array
  dropped: number
  /** What tells them from another reading's. */
  digest: string
}

/** The tools, or the fault in their place, whose message says what there is to do and no secret. */
export async function discoverTools(
  world: World,
  connections: Connections,
  target: Target,
): Promise<Tools | UpstreamFault> {
  const timeoutMs = 1000 * (target.remote.timeoutSeconds ?? DEFAULT_REMOTE_TIMEOUT_SECONDS)
  const deadline = startDeadline({ timeoutMs, maxMs: timeoutMs })
  const { signal } = deadline
  const read = async ({ post, secrets }: Reached): Promise<Tools> =>
    mending(connections, { post, secrets, target }, async (connection) => {
      const bounds = { signal, timeoutMs, maxBytes: MAX_LISTS_BYTES }
      const { items, left, isTruncated } = await readList(post, connection, 'tools', bounds)
      if (isTruncated) throw tooMany(items.length)
      return toolsOf(secrets.redactDeep(items), left.length)
    })
  try {
    return await deadline.race(reaching(world, target, read))
  } catch (error) {
    if (error instanceof UpstreamFault) return error
    throw error
  } finally {
    deadline.end()
  }
}

function toolsOf(tools: unknown, dropped: number): Tools {
  const text = JSON.stringify(tools)
  return { tools: encodeUtf8(text), dropped, digest: sha256Hex(text) }
}

function tooMany(count: number): UpstreamFault {
  const message = `The remote server lists more tools than can be read: there are over ${count}`
  return new UpstreamFault('too_large', message)
}
