/** A remote server's lists as they are now, all that it offers (`mcp-protocol.md` §8.3). */
import type { Snapshot } from '../../catalog/upstream.ts'
import type { Connection } from '../../upstream/mcp/connection.ts'
import { UpstreamFault } from '../../upstream/mcp/fault.ts'
import { listAll, type ListBounds, type Listed } from '../../upstream/mcp/list-all.ts'
import type { ListedKind } from '../../upstream/mcp/listed-item.ts'
import type { Post } from '../../upstream/mcp/post.ts'
import type { Reach } from '../../upstream/relay/post-to.ts'
import type { Target } from '../../upstream/relay/target.ts'
import type { World } from '../../upstream/world.ts'
import { nameOfUrl } from '../../handlers/remote.ts'
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { METHOD_NOT_FOUND } from '../../protocol/json-rpc.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import type { Connections } from './connections.ts'
import { mending, reaching } from './reach.ts'

/** All lists together: they cross RPC in one message, and stand in memory several times over. */
export const MAX_LISTS_BYTES = 16 * 1024 * 1024
const NOTHING: Listed = { items: [], left: [], isTruncated: false, ttlMs: undefined, bytes: 0 }

type Read = {
  bytes: Uint8Array
  /** Of the tools: what tells them from another reading's. */
  digest: string
  ttlMs: number | undefined
}

/** The capability that offers each list. */
const OFFERS: Readonly<Record<ListedKind, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resources',
}

/** The lists as the bytes of a snapshot for the organization, or the fault in their place. */
export async function readSnapshot(
  world: World,
  connections: Connections,
  target: Target,
  at: number,
): Promise<Read | UpstreamFault> {
  const url = nameOfUrl(target.remote)
  try {
    return await reaching(world, target, async (reached) => {
      const { snapshot, ttlMs } = await mending(connections, reached, (connection) =>
        readLists(reached, connection, url, at),
      )
      const digest = sha256Hex(JSON.stringify(snapshot.tools))
      return { bytes: encodeUtf8(JSON.stringify(snapshot)), digest, ttlMs }
    })
  } catch (error) {
    if (error instanceof UpstreamFault) return error
    throw error
  }
}

/** A list of a remote server; an empty one where it has none of that kind. */
export async function readList(
  post: Post,
  connection: Connection,
  kind: ListedKind,
  bounds: ListBounds,
): Promise<Listed> {
  if (!(OFFERS[kind] in connection.capabilities)) return NOTHING
  try {
    return await listAll(post, connection, kind, bounds)
  } catch (error) {
    // Many servers have resources and no templates, or say that they have more than they do.
    if (error instanceof UpstreamFault && error.code === METHOD_NOT_FOUND) return NOTHING
    throw error
  }
}

/** The whole snapshot without secrets, or the fault of the first list that could not be read. */
async function readLists(
  { post, secrets }: Reach,
  connection: Connection,
  url: string,
  at: number,
): Promise<{ snapshot: Snapshot; ttlMs: number | undefined }> {
  const { era, revision, capabilities, serverInfo, instructions } = connection
  let maxBytes = MAX_LISTS_BYTES
  const read = async (kind: ListedKind): Promise<Listed> => {
    const listed = await readList(post, connection, kind, { maxBytes })
    maxBytes -= listed.bytes
    return listed
  }
  const tools = await read('tools')
  const prompts = await read('prompts')
  const resources = await read('resources')
  const resourceTemplates = await read('resourceTemplates')
  const lists = [tools, prompts, resources, resourceTemplates]
  const ttls = lists.flatMap(({ ttlMs }) => (ttlMs === undefined ? [] : [ttlMs]))
  const said: Omit<Snapshot, 'url'> = {
    at,
    era,
    revision,
    capabilities,
    ...(serverInfo !== undefined && { serverInfo }),
    ...(instructions !== undefined && { instructions }),
    tools: tools.items,
    prompts: prompts.items,
    resources: resources.items,
    resourceTemplates: resourceTemplates.items,
    left: lists.flatMap(({ left }) => left),
    truncated: lists.some(({ isTruncated }) => isTruncated),
  }
  const snapshot = { ...(secrets.redactDeep(said) as typeof said), url }
  return { snapshot, ttlMs: ttls.length === 0 ? undefined : Math.min(...ttls) }
}
