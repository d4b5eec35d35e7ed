/**
 * Upstream: a remote MCP server as we know it. It finds out the era, opens sessions, reads the lists
 * and hands them to the organization, and hears of changes; each of these once, however many want it.
 * Calls do not come through here: whoever relays one asks for the connection, and keeps it for a while.
 *
 * One object a server, named by its id. Storage: whose server it is and when its lists are read next
 * (key-value), `connections`, `leases`. Everything goes when the server is gone.
 */
import { DurableObject } from 'cloudflare:workers'
import { encodeUtf8 } from '../protocol/bytes.ts'
import { DEFAULT_REFRESH_SECONDS } from '../handlers/remote.ts'
import { HttpError, valueOf } from '../protocol/http-error.ts'
import type { Connection } from '../upstream/mcp/connection.ts'
import { endSession } from '../upstream/mcp/end-session.ts'
import { UpstreamFault } from '../upstream/mcp/fault.ts'
import type { Wanted } from '../upstream/mcp/listen.ts'
import type { Post } from '../upstream/mcp/post.ts'
import { OpenedSecrets } from '../upstream/opened-secrets.ts'
import { postTo } from '../upstream/relay/post-to.ts'
import type { Target } from '../upstream/relay/target.ts'
import type { Want } from '../upstream/relay/upstreams.ts'
import type { Channel } from './channel.ts'
import { migrate } from './migrate.ts'
import type { Organization } from './organization.ts'
import { channelOf } from './resident.ts'
import { Connections, CONNECTIONS_BY_ACCOUNT, CONNECTIONS_SCHEMA } from './upstream/connections.ts'
import { metOf } from './upstream/met.ts'
import { readLists } from './upstream/read-lists.ts'
import { LEASES_SCHEMA, Watch } from './upstream/watch.ts'
import { worldOf, type WorldBindings } from './world.ts'

export type UpstreamBindings = WorldBindings & {
  ORGANIZATION: DurableObjectNamespace<Organization>
  CHANNEL: DurableObjectNamespace<Channel>
}

/** Whose server it is. */
export type Owner = { organization: string; server: string }

/** What came of reading the lists. */
export type Refreshed = { revision: number } | { problem: string }

type State = {
  owner: Owner
  /** When the lists are read next, in ms since the epoch. */
  refreshAt: number
  /** When they were last asked for, in ms since the epoch. */
  readAt: number
  /** How often they could not be read, since they last could. */
  failures: number
}

const SHARED: Want = { capabilities: {}, session: undefined }
const SOON_MS = 100 // a burst of changes is read once
const TOLD_GAP_MS = 1000 // between readings that the remote server asks for
const GAP_MS = 5000 // and between those that somebody's request does
const FIRST_RETRY_MS = 5000
const MIN_REFRESH_MS = 30_000 // whatever a remote server's ttl says

const STEPS = [CONNECTIONS_SCHEMA, LEASES_SCHEMA, CONNECTIONS_BY_ACCOUNT]

export class Upstream extends DurableObject<UpstreamBindings> {
  readonly #world = worldOf(this.env)
  readonly #connections: Connections
  readonly #watch: Watch
  #reading: Promise<Refreshed> | undefined

  constructor(ctx: DurableObjectState, env: UpstreamBindings) {
    super(ctx, env)
    migrate(ctx.storage, STEPS)
    this.#connections = new Connections(ctx.storage.sql, Date.now)
    this.#watch = new Watch(ctx.storage.sql, {
      updated: (uri) => this.ctx.waitUntil(this.#tell(uri)),
      changed: () => this.ctx.waitUntil(this.#refreshBy(this.#earliest(TOLD_GAP_MS))),
    })
  }

  /** The connection that is wanted, or why there is none, for `requireMet`. */
  async meet(target: Target, want: Want): Promise<string> {
    return metOf(async () => this.#connections.find(target, await this.#post(target), want))
  }

  /** One in place of a connection that has failed, likewise. */
  async replace(
    target: Target,
    want: Want,
    failed: Connection,
    how: 'reopen' | 'probe',
  ): Promise<string> {
    return metOf(async () =>
      this.#connections.replace(target, await this.#post(target), want, failed, how),
    )
  }

  /** Reads the lists now, or joins those who wait for it already. */
  async refresh(owner: Owner): Promise<Refreshed> {
    await this.#belongTo(owner)
    await this.#refreshBy(Date.now() + SOON_MS) // by the alarm, should this not come to its end
    return this.#refresh()
  }

  /** Reads the lists now, and gives a tool's input schema as it is now; undefined where it is gone. */
  async relist(owner: Owner, tool: string): Promise<unknown> {
    await this.refresh(owner)
    return this.env.ORGANIZATION.getByName(owner.organization).remoteSchema(owner.server, tool)
  }

  /** Has the lists read again in a moment. */
  async refreshSoon(owner: Owner): Promise<void> {
    await this.#belongTo(owner)
    await this.#refreshSoon()
  }

  /** Hears of what is wanted for as long as somebody says so again. */
  async watch(owner: Owner, wanted: Wanted, leaseMs: number): Promise<void> {
    await this.#belongTo(owner)
    this.#watch.lease(wanted, Date.now() + leaseMs)
    await this.#keepWatching()
    await this.#schedule()
  }

  /** Lets everything go: the server is gone, or is remote no more. */
  async forget(): Promise<void> {
    this.#watch.stop()
    await this.ctx.storage.deleteAll()
    migrate(this.ctx.storage, STEPS)
  }

  override async alarm(): Promise<void> {
    const state = this.#state()
    if (state === undefined) return
    try {
      if (state.refreshAt <= Date.now()) await this.#refresh()
      await this.#keepWatching()
      await this.#endUnused()
      await this.#schedule()
    } catch (error) {
      console.error('a remote server could not be looked after', error)
      await this.#schedule({ refreshAt: Date.now() + jittered(FIRST_RETRY_MS) })
    }
  }

  async #refresh(): Promise<Refreshed> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** Reads the lists and hands them to the organization; notes when to do so again. */
  async #read(): Promise<Refreshed> {
    const found = await this.#find()
    if (found === undefined) return { problem: 'the server is gone' }
    const { target, organization } = found
    const { server, remote } = target
    const everyMs = 1000 * (remote.refreshSeconds ?? DEFAULT_REFRESH_SECONDS)
    await this.#schedule({ readAt: Date.now() })
    try {
      const post = await this.#post(target)
      const connection = await this.#connections.find(target, post, SHARED)
      const { snapshot, ttlMs } = await readLists(post, connection, remote.url, Date.now())
      const bytes = encodeUtf8(JSON.stringify(snapshot))
      const { revision } = valueOf(await organization.applySnapshot(server, bytes))
      const waitMs = Math.min(everyMs, Math.max(ttlMs ?? everyMs, MIN_REFRESH_MS))
      await this.#schedule({ failures: 0, refreshAt: Date.now() + jittered(waitMs) })
      return { revision }
    } catch (error) {
      // The organization refuses what is too much of it; what was read last stays.
      if (!(error instanceof UpstreamFault || error instanceof HttpError)) throw error
      const failures = (this.#state()?.failures ?? 0) + 1
      const waitMs = Math.min(FIRST_RETRY_MS * 2 ** failures, everyMs)
      await this.#schedule({ failures, refreshAt: Date.now() + jittered(waitMs) })
      const { message: problem } = error
      valueOf(await organization.noteRefreshFailure(server, { at: Date.now(), problem }))
      return { problem }
    }
  }

  /** The remote server as the organization has it; where it has none, everything here goes. */
  async #find() {
    const owner = this.#state()?.owner
    if (owner === undefined) return undefined
    const organization = this.env.ORGANIZATION.getByName(owner.organization)
    const remote = await organization.remote(owner.server)
    if (remote === undefined) {
      await this.forget()
      return undefined
    }
    const target: Target = { ...owner, ...remote, hops: 0 }
    return { organization, target }
  }

  async #endUnused(): Promise<void> {
    const unused = this.#connections.takeUnused()
    const found = unused.length === 0 ? undefined : await this.#find()
    if (found === undefined) return
    const post = await this.#post(found.target)
    for (const connection of unused) await endSession(post, connection)
  }

  async #keepWatching(): Promise<void> {
    if (!this.#watch.isDue(Date.now())) return
    const found = await this.#find()
    if (found === undefined) return
    const post = await this.#post(found.target)
    const connection = await this.#connections.find(found.target, post, SHARED)
    this.ctx.waitUntil(this.#watch.open(post, connection, Date.now()).then(() => this.#schedule()))
  }

  async #post(target: Target): Promise<Post> {
    const { organization, sealed, account } = target
    const opened = await this.#world.open(organization, sealed, account)
    return postTo(this.#world, target, new OpenedSecrets(opened))
  }

  async #tell(uri: string): Promise<void> {
    const owner = this.#state()?.owner
    if (owner !== undefined) await channelOf(this.env.CHANNEL, owner.server).tellUpdated(uri)
  }

  async #refreshSoon(): Promise<void> {
    await this.#refreshBy(this.#earliest(GAP_MS))
  }

  /** A moment from now, and no sooner after the last reading than this. */
  #earliest(gapMs: number): number {
    return Math.max(Date.now() + SOON_MS, (this.#state()?.readAt ?? 0) + gapMs)
  }

  async #refreshBy(at: number): Promise<void> {
    const refreshAt = Math.min(this.#state()?.refreshAt ?? at, at)
    await this.#schedule({ refreshAt })
  }

  /** Notes whose server this is; under another organization it is another server. */
  async #belongTo(owner: Owner): Promise<void> {
    const known = this.#state()?.owner
    if (known?.organization === owner.organization) return
    if (known !== undefined) await this.forget()
    this.ctx.storage.kv.put('state', {
      owner,
      refreshAt: Date.now(),
      readAt: 0,
      failures: 0,
    } satisfies State)
  }

  #state(): State | undefined {
    return this.ctx.storage.kv.get<State>('state')
  }

  /** Writes what changed of the state, and sets the alarm for whatever comes next. */
  async #schedule(change: Partial<State> = {}): Promise<void> {
    const known = this.#state()
    if (known === undefined) return
    const state = { ...known, ...change }
    if (Object.keys(change).length > 0) this.ctx.storage.kv.put('state', state)
    const reasons = [state.refreshAt, this.#watch.nextAt(), this.#connections.nextUnusedAt()]
    const at = Math.min(...reasons.filter((reason) => reason !== undefined))
    await this.ctx.storage.setAlarm(Math.max(at, Date.now() + 1))
  }
}

/** Spread out, so that servers that were made together are not all asked together. */
function jittered(ms: number): number {
  return ms * (0.9 + 0.2 * Math.random())
}
