/** `tools/list`: the active tools a caller sees, in sort order (`mcp-protocol.md` §5, `surfaces.md` A.1). */
import type { Catalog } from '../catalog/catalog.ts'
import type { PublishedTool } from '../catalog/published.ts'
import { INVALID_PARAMS, RpcError } from '../protocol/json-rpc.ts'
import { familyOf } from '../protocol/revisions.ts'
import { visibleTo } from '../visibility/visible.ts'
import { formatCursor, parseCursor, type Cursor } from './cursor.ts'
import { cacheHints, complete, type Exchange, type Result } from './exchange.ts'

/** One answer with everything, or the page a cursor names where the server has a page size. */
export async function toolsList(exchange: Exchange): Promise<Result> {
  const { catalog, params, caller, revision } = exchange
  const members = { ...cacheHints(exchange), ...complete(exchange) }
  const family = familyOf(revision)
  if (params['cursor'] === undefined && catalog.settings.pageSize === undefined) {
    return { open: catalog.list(family, visibleTo(caller)), members }
  }
  const cursor = requireCursor(params['cursor'], catalog)
  const source = await sourceOf(cursor, exchange)
  const { tools, next } = page(source, cursor.index, exchange)
  const nextCursor = next && formatCursor({ revision: source.revision, index: next })
  return {
    open: source.join(family, tools),
    members: { ...(nextCursor && { nextCursor }), ...members },
  }
}

function requireCursor(text: unknown, { revision }: Catalog): Cursor {
  if (text === undefined) return { revision, index: 0 }
  const cursor = parseCursor(text)
  if (cursor === undefined) throw new RpcError(INVALID_PARAMS, 'Invalid cursor')
  return cursor
}

/** The catalog a walk began at: later pages come from it, so nothing repeats or is skipped. */
async function sourceOf(cursor: Cursor, { catalog, catalogAt }: Exchange): Promise<Catalog> {
  const source = cursor.revision === catalog.revision ? catalog : await catalogAt(cursor.revision)
  if (source === undefined || cursor.index > source.tools.length) {
    throw new RpcError(INVALID_PARAMS, 'Invalid cursor: the list has changed since, start over')
  }
  return source
}

function page(
  source: Catalog,
  from: number,
  { catalog, caller }: Exchange,
): { tools: PublishedTool[]; next: number | undefined } {
  const selection = visibleTo(caller)
  const size = catalog.settings.pageSize ?? source.tools.length
  const tools: PublishedTool[] = []
  for (let index = from; index < source.tools.length; index++) {
    const tool = source.tools[index]
    if (tool === undefined || selection?.includes(tool.name) === false) continue
    // Paused since the walk began. An older copy than the walk's says nothing about it.
    if (catalog.revision > source.revision && catalog.find(tool.name) === undefined) continue
    if (tools.length === size) return { tools, next: index }
    tools.push(tool)
  }
  return { tools, next: undefined }
}
