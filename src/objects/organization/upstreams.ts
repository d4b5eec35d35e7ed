/**
 * What is known of each remote server beside its lists, a row of JSON for one: who it is, what was
 * left out, and whether it answers. The items it gives come from its lists and the overrides.
 */
import { invalid } from '../../catalog/issues.ts'
import { KINDS, type Kind } from '../../catalog/item.ts'
import type { Overrides } from '../../catalog/overrides.ts'
import { approvalPolicyOf, type ServerSettings } from '../../catalog/server.ts'
import { originalNameOf, remoteItems, renames } from '../../catalog/remote-items.ts'
import {
  MAX_LEFT,
  type Left,
  type PublishedUpstream,
  type Snapshot,
} from '../../catalog/upstream.ts'
import { copyApprovals, dropApprovals, readApprovals } from './approvals.ts'
import { readItem, type ItemChange } from './items.ts'
import { copyLists, dropLists, readLists } from './snapshots.ts'

/** What was left out, the first of it by name. */
type LeftOut = { count: number; first: readonly Left[] }

/** Times are in ms since the epoch. */
export type UpstreamState = {
  /** What the last good reading found; absent before there was one. */
  known?: Pick<
    Snapshot,
    'at' | 'era' | 'revision' | 'capabilities' | 'serverInfo' | 'instructions' | 'truncated'
  > & { counts: Readonly<Record<Kind, number>>; left: LeftOut }
  /** What of its lists is not shown. */
  unfit: LeftOut
  /** Since the last good reading. */
  failures: number
  failingSince?: number
  failedAt?: number
  problem?: string
  /** Since when it counts as down. */
  downSince?: number
}

/** A remote server in the admin API. */
export type UpstreamRecord = {
  era?: string
  revision?: string
  serverInfo?: {
    name?: string | undefined
    version?: string | undefined
    title?: string | undefined
  }
  refreshedAt: string | null
  failedAt?: string
  downSince?: string
  problem?: string
  toolCount: number
  promptCount: number
  resourceCount: number
  resourceTemplateCount: number
  truncated: boolean
  leftCount: number
  left: Left[]
}

const UNKNOWN: UpstreamState = { unfit: { count: 0, first: [] }, failures: 0 }

/** What is known of a remote server; nothing yet of one that was never asked. */
export function readUpstream(sql: SqlStorage, server: string): UpstreamState {
  const query = 'SELECT state FROM upstreams WHERE server = ?'
  const row = [...sql.exec<{ state: string }>(query, server)][0]
  return row === undefined ? UNKNOWN : JSON.parse(row.state)
}

export function writeUpstream(sql: SqlStorage, server: string, state: UpstreamState): void {
  const query = 'INSERT OR REPLACE INTO upstreams (server, state) VALUES (?, ?)'
  sql.exec(query, server, JSON.stringify(state))
}

/** Lets a new server begin with what is known of another, and what a person said of its tools. */
export function copyUpstream(sql: SqlStorage, from: string, to: string): void {
  copyLists(sql, from, to)
  copyApprovals(sql, from, to)
  writeUpstream(sql, to, readUpstream(sql, from))
}

export function dropUpstream(sql: SqlStorage, server: string): void {
  dropLists(sql, server)
  dropApprovals(sql, server)
  sql.exec('DELETE FROM upstreams WHERE server = ?', server)
}

/** What is published of a remote server; undefined before it was ever read. */
export function publishedUpstream({
  known,
  downSince,
}: UpstreamState): PublishedUpstream | undefined {
  if (known === undefined) return undefined
  const { capabilities, instructions, era, at } = known
  return {
    capabilities,
    ...(instructions !== undefined && { instructions }),
    era,
    refreshedAt: at,
    ...(downSince !== undefined && { downSince }),
  }
}

/** The items of a remote server from its lists and approvals as they are stored; notes what is left out. */
export function itemsOfUpstream(
  sql: SqlStorage,
  server: string,
  settings: ServerSettings,
): ItemChange {
  const policy = approvalPolicyOf(settings)
  const approvals = policy === 'require_approval_per_tool' ? readApprovals(sql, server) : []
  const lists = readLists(sql, server)
  const { items, left } = remoteItems(lists, settings.overrides ?? {}, { policy, approvals })
  writeUpstream(sql, server, { ...readUpstream(sql, server), unfit: leftOut(left) })
  return { put: items, remove: 'others' }
}

/** Throws 422 where a tool is given the name that another one has and keeps. */
export function requireFreeNames(
  sql: SqlStorage,
  server: string,
  before: Overrides,
  after: Overrides,
): void {
  const [given, wanted] = [renames(before), renames(after)]
  const problems = [...wanted].flatMap(([original, name]) => {
    const tool = name === given.get(original) ? undefined : readItem(sql, server, 'tools', name)
    const holder = tool && originalNameOf(tool)
    if (holder === undefined || holder === original) return []
    if (given.has(holder) || wanted.has(holder)) return [] // which has another name from now on
    return [{ path: `overrides.${original}.name`, message: `"${name}" is another tool's` }]
  })
  if (problems.length > 0) throw invalid(problems)
}

/** What a good reading makes of what is known. */
export function stateAfter(before: UpstreamState, snapshot: Snapshot): UpstreamState {
  const { at, era, revision, capabilities, serverInfo, instructions, truncated, left } = snapshot
  return {
    known: {
      at,
      era,
      revision,
      capabilities,
      serverInfo,
      instructions,
      truncated,
      counts: countsOf((kind) => snapshot[kind].length),
      left: leftOut(left),
    },
    unfit: before.unfit,
    failures: 0,
  }
}

/** What is known of a remote server, for the admin API. */
export function describeUpstream(sql: SqlStorage, server: string): UpstreamRecord {
  const { known, unfit, failedAt, downSince, problem } = readUpstream(sql, server)
  const time = (at: number) => new Date(at).toISOString()
  const { era, revision, serverInfo, counts = countsOf(() => 0) } = known ?? {}
  const left = [...(known?.left.first ?? []), ...unfit.first]
  return {
    ...(era && { era }),
    ...(revision !== undefined && { revision }),
    ...(serverInfo && { serverInfo }),
    refreshedAt: known === undefined ? null : time(known.at),
    ...(failedAt !== undefined && { failedAt: time(failedAt) }),
    ...(downSince !== undefined && { downSince: time(downSince) }),
    ...(problem !== undefined && { problem }),
    toolCount: counts.tools,
    promptCount: counts.prompts,
    resourceCount: counts.resources,
    resourceTemplateCount: counts.resourceTemplates,
    truncated: known?.truncated ?? false,
    leftCount: (known?.left.count ?? 0) + unfit.count,
    left: left.slice(0, MAX_LEFT),
  }
}

function leftOut(left: readonly Left[]): LeftOut {
  return { count: left.length, first: left.slice(0, MAX_LEFT) }
}

function countsOf(count: (kind: Kind) => number): Record<Kind, number> {
  const [tools, prompts, resources, resourceTemplates] = KINDS.map(count)
  return {
    tools: tools ?? 0,
    prompts: prompts ?? 0,
    resources: resources ?? 0,
    resourceTemplates: resourceTemplates ?? 0,
  }
}
