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
export function listAll(
  post: Post,
  connection: Connection,
  kind: ListedKind,
  bounds: ListBounds = {},
): Promise<Listed> {
  const again = () => walk(post, connection, kind, bounds, undefined)
  return walk(post, connection, kind, bounds, again)
}

/** Walks the pages; `again` starts over, once, where the list changed or a cursor became invalid. */
async function walk(
  post: Post,
  connection: Connection,
  kind: ListedKind,
  { signal, timeoutMs, maxPages = MAX_PAGES, maxItems, maxBytes = MAX_LIST_BYTES }: ListBounds,
  again: (() => Promise<Listed>) | undefined,
): Promise<Listed> {
  const { method, changed, maxItems: mostItems } = LISTS[kind]
  const limit = maxItems ?? mostItems
  const items: Record<string, unknown>[] = []
  const left: Listed['left'] = []
  const keys = new Set<string>()
  const cursors = new Set<string>()
  const endsAt = Date.now() + MAX_WALK_MS
  let cursor: string | undefined
  let bytes = 0
  let ttlMs: number | undefined = Infinity
  let hasChanged = false
  const done = (isTruncated: boolean): Listed => ({ items, left, isTruncated, ttlMs })

  for (let pages = 0; pages < maxPages; pages++) {
    const maxMs = endsAt - Date.now()
    if (maxMs <= 0) return done(true)
    let page: Record<string, unknown>
    try {
      page = await sendRequest(
        post,
        connection,
        { method, params: cursor === undefined ? {} : { cursor } },
        {
          signal,
          timeoutMs,
          maxMs,
          maxBytes: maxBytes - bytes,
          listChanged: (what) => (hasChanged ||= what === changed),
        },
      )
    } catch (error) {
      if (!(error instanceof UpstreamFault) || pages === 0) throw error
      if (error.code === INVALID_PARAMS && again !== undefined) return again()
      if (error.kind === 'too_large') return done(true)
      throw error
    }
    if (hasChanged && again !== undefined) return again()
    const listed = page[kind]
    if (!Array.isArray(listed)) {
      throw new UpstreamFault('malformed', `The remote server's ${method} has no list in it`)
    }
    ttlMs = lesser(ttlMs, page['ttlMs'])
    for (const [index, item] of listed.entries()) {
      if (items.length >= limit || left.length >= MAX_LEFT) return done(true)
      const judged = judgeItem(kind, item, index, connection.era === 'modern')
      bytes += judged.bytes
      if (bytes > maxBytes) return done(true)
      if ('reason' in judged) {
        left.push({ name: judged.name, reason: judged.reason })
      } else if (!keys.has(judged.key)) {
        keys.add(judged.key)
        items.push(item)
      }
    }
    const { nextCursor } = page
    if (typeof nextCursor !== 'string') return done(false) // null is what some send for no more
    if (cursors.has(nextCursor)) return done(true)
    cursors.add(nextCursor)
    cursor = nextCursor
  }
  return done(true)
}

function lesser(ttlMs: number | undefined, other: unknown): number | undefined {
  if (ttlMs === undefined || typeof other !== 'number') return undefined
  return Math.min(ttlMs, Math.max(other, 0))
}
