/**
 * An organization's gateway as an isolate holds it: the surface as it is published, with the tools of
 * our own in their place among those of servers (`surfaces.md` X16). Made once for each revision; what
 * a name stands for is looked up here, never guessed from its first `__` (C35).
 */
import type { Sized } from '../memory/lookup.ts'
import { concat, encodeUtf8 } from '../protocol/bytes.ts'
import type { Tool } from '../protocol/tool.ts'
import { Catalog, type Renderings } from './catalog.ts'
import { differingRevisions } from './project-item.ts'
import {
  parsePublished,
  UnreadablePublished,
  type Gone,
  type Published,
  type PublishedItem,
} from './published.ts'
import type { SurfaceBinding } from './surface-items.ts'
import type { Capability, Surface } from './surface.ts'

/** The capability of our own tools, which is no server's. */
export const MANAGE = 'manage'

/** What a name on the gateway stands for: a server's tool by its own name, or one of ours. */
export type GatewayTool = { capability: Capability | typeof MANAGE; operation: string }

export type Gateway = {
  organization: string
  revision: number
  surface: Surface
  catalog: Catalog
  /** In the order in which they are listed. */
  tools: ReadonlyMap<string, GatewayTool>
  /** About how much memory it takes. */
  bytes: number
}

/** A tool of ours: its name after `manage__`, and its MCP object. */
export type OwnTool = { operation: string; definition: Tool }

const TOOL_BYTES = 150 // what the entry of one tool takes beside its catalog's

/** A gateway from its published bytes, with our own tools. */
export function loadGateway(
  bytes: Uint8Array<ArrayBuffer>,
  own: readonly OwnTool[],
  renderings: Renderings,
): Sized<Gateway | Gone> {
  const published = parsePublished(bytes)
  if ('deleted' in published) return { value: published, bytes: TOOL_BYTES }
  const { surface, organization, revision } = published
  if (surface === undefined) throw new UnreadablePublished('no surface')
  const theirs = toolsOfServers(published, surface)
  const after = theirs.findIndex(({ capability }) => capability.id > MANAGE)
  const at = after < 0 ? theirs.length : after
  const catalog = new Catalog(withOwn(published, own, at), renderings)
  const ours = own.map(({ operation }): GatewayTool => ({ capability: MANAGE, operation }))
  const inOrder: GatewayTool[] = [...theirs.slice(0, at), ...ours, ...theirs.slice(at)]
  const names = catalog.items('tools').map(({ name }) => name)
  const tools = new Map(inOrder.map((tool, n) => [names[n] ?? '', tool]))
  const size = catalog.bytes + tools.size * TOOL_BYTES
  return { value: { organization, revision, surface, catalog, tools, bytes: size }, bytes: size }
}

/** What each published tool is of, in order. */
function toolsOfServers({ lists, bytes }: Published, { capabilities }: Surface) {
  const byServer = new Map(capabilities.map((capability) => [capability.server, capability]))
  return lists.tools.items.map(({ binding: { start, end } }) => {
    const text = new TextDecoder().decode(bytes.subarray(start, end))
    const { server, tool } = JSON.parse(text) as SurfaceBinding // as it was written
    const capability = byServer.get(server)
    if (capability === undefined) throw new UnreadablePublished('a tool of no capability')
    return { capability, operation: tool }
  })
}

/** The same with our tools from a place in the order on; their bytes stand after all others. */
function withOwn(published: Published, own: readonly OwnTool[], at: number): Published {
  const parts: Uint8Array[] = [published.bytes]
  let end = published.bytes.length
  const ours = own.map(({ definition }): PublishedItem => {
    const text = encodeUtf8(JSON.stringify(definition))
    const span = { start: end, end: end + text.length }
    end = span.end
    parts.push(text)
    const differing = differingRevisions('tools', definition)
    const binding = { start: span.end, end: span.end }
    return { name: definition.name, differing, definition: span, binding }
  })
  const { items } = published.lists.tools
  const tools = { items: [...items.slice(0, at), ...ours, ...items.slice(at)], list: undefined }
  return { ...published, lists: { ...published.lists, tools }, bytes: concat(parts) }
}
