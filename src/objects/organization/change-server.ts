/**
 * The way of every change of a server: the names it needs are claimed, and then all is decided once
 * more inside the transaction, since other commands may have run meanwhile.
 */
import type { Act } from './audit.ts'
import { NamesMoved } from './claims.ts'
import type { Context, Write } from './context.ts'
import { isLooser, requireMayLoosen } from './loosening.ts'
import { releaseNames, type Name } from './names.ts'
import {
  describeServer,
  findServer,
  namesOf,
  requireRevision,
  writeServer,
  type LiveServer,
  type NextServer,
  type ServerRecord,
} from './servers.ts'

/** What a server becomes, from what it is inside the transaction; undefined where there is none. */
export type Next = (live: LiveServer | undefined) => NextServer

export type WrittenServer = {
  server: ServerRecord
  created: boolean
  /** Whether the remote server is to be read anew, as it is another or reached in another way. */
  remoteChanged: boolean
}

const MAX_TRIES = 3 // names that other commands took or gave up between claim and commit

/** Changes a server as `next` says, or makes it; 412 when it moved, 409 when a name is taken. */
export async function changeServer(
  context: Context,
  id: string,
  act: string,
  write: Write,
  next: Next,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<WrittenServer> {
  const { claims, organization } = context
  return withNames(context, id, write, next, (names) =>
    claims.claiming(organization, names, () =>
      commit(context, id, write, next, names, { act, detail }),
    ),
  )
}

/** What `read` finds after a change that is refused as `changeServer` would, and then taken back. */
export async function rehearseServer<T>(
  context: Context,
  id: string,
  write: Write,
  next: Next,
  read: () => T,
): Promise<T> {
  const { claims, organization } = context
  return withNames(context, id, write, next, (names) =>
    claims.rehearsing(organization, names, () => {
      commit(context, id, write, next, names, { act: 'servers.rehearse' })
      return read()
    }),
  )
}

/** Does what is to be done with the names a server will need, again where it needs others by then. */
async function withNames<T>(
  { sql }: Context,
  id: string,
  { expected }: Write,
  next: Next,
  change: (names: readonly Name[]) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const { live } = findServer(sql, id)
    requireRevision(live, expected)
    try {
      return await change(namesOf(id, next(live).settings))
    } catch (error) {
      if (!(error instanceof NamesMoved) || tries === MAX_TRIES) throw error
    }
  }
}

function commit(
  { sql, now }: Context,
  id: string,
  write: Write,
  next: Next,
  claimed: readonly Name[],
  { act, detail }: Pick<Act, 'act' | 'detail'>,
): WrittenServer {
  const { actor, expected } = write
  const { live } = findServer(sql, id)
  requireRevision(live, expected)
  const becomes = next(live)
  const { settings } = becomes
  if (live !== undefined && isLooser(live.settings, settings)) requireMayLoosen(sql, write)
  const needed = namesOf(id, settings)
  if (needed.some((name) => !isAmong(claimed, name))) throw new NamesMoved()
  writeServer(sql, id, becomes, { actor, act, target: id, ...(detail && { detail }) }, now)
  const old = live === undefined ? [] : namesOf(id, live.settings)
  releaseNames(
    sql,
    old.filter((name) => !isAmong(needed, name)),
  )
  const remoteChanged = JSON.stringify(settings.remote) !== JSON.stringify(live?.settings.remote)
  return { server: describeServer(sql, id), created: live === undefined, remoteChanged }
}

function isAmong(names: readonly Name[], { kind, name }: Name): boolean {
  return names.some((other) => other.kind === kind && other.name === name)
}
