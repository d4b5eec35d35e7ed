/**
 * A whole list of a remote server, page by page (`mcp-protocol.md` §8.3). A list without end, a
 * repeated cursor or a change during the walk brings what can be had, not a fault.
 */
import { INVALID_PARAMS } from '../../protocol/json-rpc.ts'
import type { Connection } from './connection.ts'
import { UpstreamFault } from './fault.ts'
import { judgeItem, type ListedKind } from './listed-item.ts'
import type { Post } from './post.ts'
import { sendRequest } from './request.ts'

export type ListBounds = {
  signal?: AbortSignal
  /** How long each page may take. */
  timeoutMs?: number
  maxPages?: number
  maxItems?: number
  /** All pages together. */
  maxBytes?: number
}

export type Listed = {
  /** As the remote server gave them, the first of a name. */
  items: Record<string, unknown>[]
  left: { name: string; reason: string }[]
  /** The remote server had more than was read. */
  isTruncated: boolean
  /** How long every page may be kept; undefined where one does not say. */
  ttlMs: number | undefined
  /** Of all items. */
  bytes: number
}

const LISTS: Readonly<Record<ListedKind, { method: string; changed: string; maxItems: number }>> = {
  tools: { method: 'tools/list', changed: 'tools', maxItems: 20_000 },
  prompts: { method: 'prompts/list', changed: 'prompts', maxItems: 5_000 },
  resources: { method: 'resources/list', changed: 'resources', maxItems: 5_000 },
  resourceTemplates: {
    method: 'resources/templates/list',
    changed: 'resources',
    maxItems: 200,
  },
}
const MAX_PAGES = 500
const MAX_LIST_BYTES = 24 * 1024 * 1024
/** All pages together. */
const MAX_WALK_MS = 120_000
/** An item that is left out costs a report. */
const MAX_LEFT = 1_000

/** All items of a kind that are fit, and which were left out. */
export async function listAll(
  post: Post,
  connection: Connection,
  kind: ListedKind,
  bounds: ListBounds = {},
): Promise<Listed> {
  const walk = () => walkPages({ post, connection, kind, bounds, endsAt: Date.now() + MAX_WALK_MS })
  const first = await walk()
  if (first.outcome === 'whole') return first.listed
  const { outcome, listed, fault } = await walk()
  if (outcome === 'invalid_cursor') throw fault
  return listed
}

type Walk = {
  post: Post
  connection: Connection
  kind: ListedKind
  bounds: ListBounds
  endsAt: number
}
/** How a walk came out: `changed` under it, or met a cursor that had become invalid. */
type Walked =
  | { outcome: 'whole' | 'changed'; listed: Listed; fault?: undefined }
  | { outcome: 'invalid_cursor'; listed: Listed; fault: UpstreamFault }

async function walkPages(walk: Walk): Promise<Walked> {
  const { kind, connection, bounds } = walk
  const {
    maxPages = MAX_PAGES,
    maxItems = LISTS[kind].maxItems,
    maxBytes = MAX_LIST_BYTES,
  } = bounds
  const listed: Listed = { items: [], left: [], isTruncated: true, ttlMs: Infinity, bytes: 0 }
  const cursors = new Set<unknown>()
  const keys = new Set<string>()
  let cursor: string | undefined
  let hasChanged = false
  const done = (): Walked => ({ outcome: hasChanged ? 'changed' : 'whole', listed })

  /** Takes the items of a page; false when there is no room for all. */
  const take = (items: unknown[]): boolean => {
    for (const [index, item] of items.entries()) {
      if (listed.items.length >= maxItems || listed.left.length >= MAX_LEFT) return false
      const judged = judgeItem(kind, item, index, connection.era === 'modern')
      if (listed.bytes + judged.bytes > maxBytes) return false
      listed.bytes += judged.bytes
      if ('reason' in judged) {
        listed.left.push({ name: judged.name, reason: judged.reason })
      } else if (keys.has(judged.key)) {
        listed.left.push({ name: judged.name, reason: 'stands twice' })
      } else {
        keys.add(judged.key)
        listed.items.push(judged.item)
      }
    }
    return true
  }

  for (let pages = 0; pages < maxPages && Date.now() < walk.endsAt; pages++) {
    let page: Page
    try {
      page = await readPage(walk, cursor, maxBytes - listed.bytes, () => (hasChanged = true))
    } catch (error) {
      if (!(error instanceof UpstreamFault) || pages === 0) throw error
      if (error.code === INVALID_PARAMS) return { outcome: 'invalid_cursor', listed, fault: error }
      if (error.kind !== 'too_large') throw error
      return done()
    }
    listed.ttlMs = lesser(listed.ttlMs, page.ttlMs)
    if (!take(page.items)) return done()
    cursor = page.nextCursor
    if (cursor === undefined) {
      listed.isTruncated = false
      return done()
    }
    if (cursors.has(cursor)) return done()
    cursors.add(cursor)
  }
  return done()
}

type Page = { items: unknown[]; nextCursor: string | undefined; ttlMs: unknown }

async function readPage(
  { post, connection, kind, bounds, endsAt }: Walk,
  cursor: string | undefined,
  maxBytes: number,
  onChange: () => void,
): Promise<Page> {
  const { method, changed } = LISTS[kind]
  const { signal, timeoutMs } = bounds
  const params = cursor === undefined ? {} : { cursor }
  const result = await sendRequest(
    post,
    connection,
    { method, params },
    {
      signal,
      timeoutMs,
      maxMs: endsAt - Date.now(),
      maxBytes,
      maxDepth: Infinity, // each item is judged by itself
      listChanged: (what) => what === changed && onChange(),
    },
  )
  const { [kind]: items, nextCursor, ttlMs } = result
  if (!Array.isArray(items)) {
    throw new UpstreamFault('malformed', `The remote server's ${method} has no list in it`)
  }
  // `null` is what some send for no more.
  return { items, nextCursor: typeof nextCursor === 'string' ? nextCursor : undefined, ttlMs }
}

/** 0, which SDKs send unless they are told otherwise, says nothing of how often to ask. */
function lesser(ttlMs: number | undefined, other: unknown): number | undefined {
  if (ttlMs === undefined || typeof other !== 'number' || other <= 0) return undefined
  return Math.min(ttlMs, other)
}
