/**
 * What an `Upstream` object tells of the remote server it reads: its lists, or that it did not answer.
 * Only what changes something makes a revision; the last good lists stay while it is down.
 */
import { liveTools } from '../../catalog/approval.ts'
import { driftedTools } from '../../catalog/drift.ts'
import { KINDS, type Kind } from '../../catalog/item.ts'
import type { RawLists } from '../../catalog/remote-items.ts'
import { isRemote } from '../../catalog/server.ts'
import { differ, type Snapshot } from '../../catalog/upstream.ts'
import { nameOfUrl } from '../../handlers/remote.ts'
import { DEFAULT_ENVIRONMENT } from '../../handlers/variable.ts'
import { completeApprovals, readApprovals } from './approvals.ts'
import { writeAudit } from './audit.ts'
import type { Context } from './context.ts'
import { findRemote } from './find-remote.ts'
import { requireServer, writeServer, type LiveServer } from './servers.ts'
import { readLists, writeLists } from './snapshots.ts'
import {
  publishedUpstream,
  readUpstream,
  stateAfter,
  writeUpstream,
  type UpstreamState,
} from './upstreams.ts'

const ACTOR = 'upstream'
/** One failure may be a hiccup, and would cost every reader two new copies. */
const FAILURES_TO_BE_DOWN = 2
const MAX_PROBLEM_LENGTH = 1000
const MAX_AUDITED = 100 // names in one row of the audit log

/** Whether something was taken in, and the server's revision as it stands. */
export type Noted = { taken: boolean; revision: number }

/** Takes in what was read of a remote server; nothing of another URL than it has now, or that is old. */
export function applySnapshot(context: Context, server: string, snapshot: Snapshot): Noted {
  const { sql } = context
  return context.transact(() => {
    const live = requireServer(sql, server)
    const before = readUpstream(sql, server)
    const isOld = before.known !== undefined && snapshot.at < before.known.at
    if (urlOf(sql, server) !== snapshot.url || isOld) {
      return { taken: false, revision: live.revision }
    }
    const listsChanged = takeLists(context, server, listsOf(snapshot))
    const after = stateAfter(before, snapshot)
    writeUpstream(sql, server, after)
    const isBack = before.downSince !== undefined && !listsChanged
    return publish(context, live, { before, after, listsChanged }, isBack ? 'up' : 'refresh')
  })
}

/** Stores the lists of a reading, and notes what of them is other than was approved; true when they differ. */
function takeLists({ sql, now }: Context, server: string, lists: RawLists): boolean {
  const approved = readApprovals(sql, server)
  if (approved.length === 0) return writeLists(sql, server, lists)
  const before = driftedTools(liveTools(readLists(sql, server).tools), approved)
  if (!writeLists(sql, server, lists)) return false
  const live = liveTools(lists.tools)
  completeApprovals(sql, server, live)
  const after = driftedTools(live, readApprovals(sql, server))
  const found = [...after].filter(([tool, hash]) => before.get(tool) !== hash)
  const tools = found.slice(0, MAX_AUDITED).map(([tool]) => tool)
  const detail = { tools, count: found.length }
  if (found.length > 0) {
    writeAudit(sql, { actor: ACTOR, act: 'upstream.drift', target: server, detail }, now)
  }
  return true
}

/** Takes in that a remote server could not be read; the second time in a row it counts as down. */
export function noteRefreshFailure(
  context: Context,
  server: string,
  { at, problem }: { at: number; problem: string },
): Noted {
  const { sql } = context
  return context.transact(() => {
    const live = requireServer(sql, server)
    if (!isRemote(live.settings)) return { taken: false, revision: live.revision }
    const before = readUpstream(sql, server)
    const { failures: earlier, failingSince = at, downSince } = before
    const failures = earlier + 1
    const isDown = failures >= FAILURES_TO_BE_DOWN
    const after: UpstreamState = {
      ...before,
      failures,
      failingSince,
      failedAt: at,
      problem: problem.slice(0, MAX_PROBLEM_LENGTH),
      ...(isDown && { downSince: downSince ?? failingSince }),
    }
    writeUpstream(sql, server, after)
    return publish(context, live, { before, after, listsChanged: false }, 'down')
  })
}

/** Where a remote server is read, as a snapshot names it; undefined where that is not known. */
function urlOf(sql: SqlStorage, server: string): string | undefined {
  const found = findRemote(sql, server, DEFAULT_ENVIRONMENT)
  return found === undefined || 'problem' in found ? undefined : nameOfUrl(found.remote)
}

/** Makes a revision where clients can see the difference. */
function publish(
  { sql, now }: Context,
  { id, settings, revision }: LiveServer,
  change: { before: UpstreamState; after: UpstreamState; listsChanged: boolean },
  act: 'refresh' | 'up' | 'down',
): Noted {
  const before = publishedUpstream(change.before)
  const upstreamChanged = differ(before, publishedUpstream(change.after))
  if (!upstreamChanged && !change.listsChanged) return { taken: true, revision }
  // Also of lists that are shown as before: what is approved is looked at by the revision.
  const next = { settings, upstreamChanged: true }
  const by = { actor: ACTOR, act: `upstream.${act}`, target: id }
  return { taken: true, revision: writeServer(sql, id, next, by, now) }
}

function listsOf(snapshot: Snapshot): RawLists {
  const texts = (kind: Kind) => snapshot[kind].map((definition) => JSON.stringify(definition))
  const [tools = [], prompts = [], resources = [], resourceTemplates = []] = KINDS.map(texts)
  return { tools, prompts, resources, resourceTemplates }
}
