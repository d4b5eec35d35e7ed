/** A remote server's lists as they are now, all that it offers (`mcp-protocol.md` §8.3). */
import type { Snapshot } from '../../catalog/upstream.ts'
import type { Connection } from '../../upstream/mcp/connection.ts'
import { UpstreamFault } from '../../upstream/mcp/fault.ts'
import { listAll, type Listed } from '../../upstream/mcp/list-all.ts'
import type { ListedKind } from '../../upstream/mcp/listed-item.ts'
import type { Reach } from '../../upstream/relay/post-to.ts'
import { METHOD_NOT_FOUND } from '../../protocol/json-rpc.ts'

/** All lists together: they cross RPC in one message, and stand in memory several times over. */
const MAX_BYTES = 16 * 1024 * 1024
const NOTHING: Listed = { items: [], left: [], isTruncated: false, ttlMs: undefined, bytes: 0 }

/** The capability that offers each list. */
const OFFERS: Readonly<Record<ListedKind, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resources',
}

/** The whole snapshot without secrets, or the fault of the first list that could not be read. */
export async function readLists(
  { post, secrets }: Reach,
  connection: Connection,
  url: string,
  at: number,
): Promise<{ snapshot: Snapshot; ttlMs: number | undefined }> {
  const { era, revision, capabilities, serverInfo, instructions } = connection
  let maxBytes = MAX_BYTES
  const read = async (kind: ListedKind): Promise<Listed> => {
    if (!(OFFERS[kind] in capabilities)) return NOTHING
    try {
      const listed = await listAll(post, connection, kind, { maxBytes })
      maxBytes -= listed.bytes
      return listed
    } catch (error) {
      // Many servers have resources and no templates, or say that they have more than they do.
      if (error instanceof UpstreamFault && error.code === METHOD_NOT_FOUND) return NOTHING
      throw error
    }
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
