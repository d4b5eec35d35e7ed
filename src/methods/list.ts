/**
 * `tools/list`, `prompts/list`, `resources/list` and `resources/templates/list`: the active items a
 * caller sees, in sort order (`mcp-protocol.md` §5, `surfaces.md` A.1).
 */
import type { Catalog } from '../catalog/catalog.ts'
import type { Kind } from '../catalog/item.ts'
import type { PublishedItem } from '../catalog/published.ts'
import { INVALID_PARAMS, RpcError } from '../protocol/json-rpc.ts'
import { visibleTo } from '../visibility/visible.ts'
import { formatCursor, parseCursor, type Cursor, type Signing } from './cursor.ts'
import { cacheHints, complete, type Exchange, type Result } from './exchange.ts'

/** What a list is of, for whom and in which revision. */
type Listed = Pick<Exchange, 'catalog' | 'caller' | 'revision'>

/** One answer with everything, or the page a cursor names where the server has a page size. */
export function list(kind: Kind, exchange: Exchange): Result | Promise<Result> {
  const { catalog, params } = exchange
  if (params['cursor'] !== undefined || catalog.settings.pageSize !== undefined) {
    return listPage(kind, exchange)
  }
  return listAll(kind, exchange)
}

/** Everything a caller sees of a kind in one answer, whatever cursor it came with. */
export function listAll(kind: Kind, exchange: Listed): Result {
  const { catalog, caller, revision } = exchange
  return {
    open: catalog.list(kind, revision, visibleTo(caller, kind)),
    members: membersOf(exchange),
  }
}

async function listPage(kind: Kind, exchange: Exchange): Promise<Result> {
  const { catalog, params, revision } = exchange
  const signing = signingOf(kind, exchange)
  const cursor = requireCursor(params['cursor'], catalog, signing)
  const source = await sourceOf(kind, cursor, exchange)
  const { items, next } = page(kind, source, cursor.index, exchange)
  const nextCursor = next && formatCursor({ revision: source.revision, index: next }, signing)
  return {
    open: source.join(kind, revision, items),
    members: { ...(nextCursor && { nextCursor }), ...membersOf(exchange) },
  }
}

function membersOf(exchange: Listed): Readonly<Record<string, unknown>> {
  return { ...cacheHints(exchange), ...complete(exchange) }
}

/** A cursor is good for one list of one server, as one set of tools sees it. */
function signingOf(kind: Kind, { catalog, caller, cursorKeys }: Exchange): Signing {
  const { organization, id } = catalog
  return { keys: cursorKeys, list: [organization, id, kind, caller.tools?.key ?? ''].join(' ') }
}

function requireCursor(text: unknown, { revision }: Catalog, signing: Signing): Cursor {
  if (text === undefined) return { revision, index: 0 }
  const cursor = parseCursor(text, signing)
  if (cursor === undefined) throw new RpcError(INVALID_PARAMS, 'Invalid cursor')
  return cursor
}

/** The catalog a walk began at: later pages come from it, so nothing repeats or is skipped. */
async function sourceOf(
  kind: Kind,
  { revision, index }: Cursor,
  { catalog, catalogAt }: Exchange,
): Promise<Catalog> {
  const source = revision === catalog.revision ? catalog : await catalogAt(revision)
  if (source === undefined || index > source.items(kind).length) {
    throw new RpcError(INVALID_PARAMS, 'Invalid cursor: the list has changed since, start over')
  }
  return source
}

function page(
  kind: Kind,
  source: Catalog,
  from: number,
  { catalog, caller }: Exchange,
): { items: PublishedItem[]; next: number | undefined } {
  const selection = visibleTo(caller, kind)
  const all = source.items(kind)
  const size = catalog.settings.pageSize ?? all.length
  const items: PublishedItem[] = []
  for (let index = from; index < all.length; index++) {
    const item = all[index]
    if (item === undefined || selection?.includes(item.name) === false) continue
    // Paused since the walk began. An older copy than the walk's says nothing about it.
    if (catalog.revision > source.revision && catalog.find(kind, item.name) === undefined) continue
    if (items.length === size) return { items, next: index }
    items.push(item)
  }
  return { items, next: undefined }
}
