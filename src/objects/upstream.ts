/**
 * Upstream: a remote MCP server as we know it. It finds out the era, opens sessions, reads the lists
 * and hands them to the organization, and hears of changes; each of these once, however many want it.
 * Calls do not come through here: whoever relays one asks for the connection, and keeps it for a while.
 *
 * One object a server (resident.ts). Storage: whose it is and a digest of its tools (key-value), and
 * `connections`, `leases`, `readings`. Everything goes when the server is gone, the tables too.
 */
import { DurableObject } from 'cloudflare:workers'
import { DEFAULT_ENVIRONMENT } from '../handlers/variable.ts'
import { valueOf } from '../protocol/http-error.ts'
import { logError } from '../protocol/log.ts'
import type { Connection } from '../upstream/mcp/connection.ts'
import { endSession } from '../upstream/mcp/end-session.ts'
import { UpstreamFault } from '../upstream/mcp/fault.ts'
import type { Wanted } from '../upstream/mcp/listen.ts'
import type { Target } from '../upstream/relay/target.ts'
import type { Want } from '../upstream/relay/upstreams.ts'
import { migrate } from './migrate.ts'
import {
  channelOf,
  organizationOf,
  type ChannelBinding,
  type OrganizationBinding,
} from './resident.ts'
import { configOf, Connections } from './upstream/connections.ts'
import { discoverTools, type Tools } from './upstream/discover.ts'
import { metOf } from './upstream/met.ts'
import { once } from './upstream/once.ts'
import {
  everyMsOf,
  findRemote,
  storedRemote,
  tellConnection,
  type Found,
  type Owner,
  type Problem,
} from './upstream/owner.ts'
import { mending, reaching, type Reached } from './upstream/reach.ts'
import { readSnapshot } from './upstream/read-lists.ts'
import { Readings } from './upstream/readings.ts'
import { STEPS } from './upstream/schema.ts'
import { Watch } from './upstream/watch.ts'
import { worldOf, type WorldBindings } from './world.ts'

export type UpstreamBindings = WorldBindings & OrganizationBinding & ChannelBinding

/** What came of reading the lists. */
export type Refreshed = { revision: number } | Problem

/** What came of a discovery. */
export type Discovered = Omit<Tools, 'digest'> | Problem

const GONE: Problem = { problem: 'the server is gone' }
/** What the tools of the last reading are told by (key-value). */
const TOOLS_DIGEST = 'tools'
const TOLD_GAP_MS = 1000 // between readings that the remote server asks for
const GAP_MS = 5000 // and between those that somebody's request does
const RETRY_MS = 60_000 // after what should not have happened

export class Upstream extends DurableObject<UpstreamBindings> {
  readonly #world = worldOf(this.env)
  readonly #connections = new Connections(this.ctx.storage.sql, Date.now)
  readonly #readings = new Readings(this.ctx.storage.sql)
  readonly #watch = new Watch(this.ctx.storage.sql, {
    updated: (uris) => this.ctx.waitUntil(this.#tell(uris)),
    changed: () => this.ctx.waitUntil(this.#wish(TOLD_GAP_MS)),
    ended: () => this.ctx.waitUntil(this.#schedule()),
    waitUntil: (running) => this.ctx.waitUntil(running),
  })
  /** Readings under way, by configuration. */
  readonly #reading = new Map<string, Promise<Refreshed>>()
  /** Discoveries under way, likewise. */
  readonly #discovering = new Map<string, Promise<Tools | UpstreamFault>>()
  #watching = Promise.resolve()
  #relistedAt = 0

  constructor(ctx: DurableObjectState, env: UpstreamBindings) {
    super(ctx, env)
    if (this.#owner() !== undefined) migrate(ctx.storage, STEPS)
  }

  /** The connection that is wanted, or why there is none, for `requireMet`. */
  async meet(target: Target, want: Want): Promise<string> {
    await this.#belongTo(target)
    return metOf(this.#reaching(target, (way) => this.#connections.find(target, way, want)))
  }

  /** One in place of a connection that has failed, likewise. */
  async replace(
    target: Target,
    want: Want,
    failed: Connection,
    how: 'reopen' | 'probe',
  ): Promise<string> {
    await this.#belongTo(target)
    return metOf(
      this.#reaching(target, (way) => this.#connections.replace(target, way, want, failed, how)),
    )
  }

  /** Reads the lists now, or joins those who wait for it already; lets go of a server that is gone. */
  async refresh(owner: Owner): Promise<Refreshed> {
    await this.#belongTo(owner)
    return this.#refresh()
  }

  /** The tools that the remote server has now in an environment; nothing is stored. */
  async discover(owner: Owner, environment: string): Promise<Discovered> {
    await this.#belongTo(owner)
    const target = await this.#find(environment)
    if (target === undefined) return GONE
    if ('problem' in target) return target
    const found = await once(this.#discovering, configOf(target), async () => {
      const tools = await discoverTools(this.#world, this.#connections, target)
      await tellConnection(this.#organization(target), target, tools)
      return tools
    })
    if (found instanceof UpstreamFault) return { problem: found.message }
    const { digest, ...tools } = found
    const isNews = digest !== this.ctx.storage.kv.get(TOOLS_DIGEST)
    if (isNews && environment === DEFAULT_ENVIRONMENT) await this.#wish(GAP_MS)
    return tools
  }

  /** A tool's input schema as it is now, read again unless that was just done; undefined where it is gone. */
  async relist(owner: Owner, tool: string): Promise<unknown> {
    if (Date.now() - this.#relistedAt >= GAP_MS) {
      this.#relistedAt = Date.now()
      await this.refresh(owner)
    }
    return organizationOf(this.env, owner.organization).remoteSchema(owner.server, tool)
  }

  /** Has the lists read again in a moment. */
  async refreshSoon(owner: Owner): Promise<void> {
    await this.#belongTo(owner)
    await this.#wish(GAP_MS)
  }

  /** Hears of what is wanted for as long as somebody says so again. */
  async watch(owner: Owner, wanted: Wanted, leaseMs: number): Promise<void> {
    await this.#belongTo(owner)
    this.#watch.lease(wanted, Date.now() + leaseMs)
    await this.#keepWatching()
    await this.#schedule()
  }

  override async alarm(): Promise<void> {
    if (this.#owner() === undefined) return
    try {
      if (this.#readings.dueAt <= Date.now()) await this.#refresh()
      await this.#keepWatching()
      await this.#endUnused()
      await this.#schedule()
    } catch (error) {
      logError('a remote server could not be looked after', error)
      await this.ctx.storage.setAlarm(Date.now() + RETRY_MS)
    }
  }

  async #refresh(): Promise<Refreshed> {
    const found = await this.#find()
    if (found === undefined) return GONE
    if ('problem' in found) return this.#fail(found, Date.now())
    const config = configOf(found)
    return once(this.#reading, config, () => this.#read(found, config))
  }

  /** Reads the lists and hands them to the organization; notes when to do so again. */
  async #read(target: Found, config: string): Promise<Refreshed> {
    const startedAt = Date.now()
    const everyMs = everyMsOf(target)
    this.#readings.begin(startedAt)
    await this.#schedule()
    const read = await readSnapshot(this.#world, this.#connections, target, startedAt)
    const current = await storedRemote(this.#organization(target), target, DEFAULT_ENVIRONMENT)
    if (current === undefined || 'problem' in current || configOf(current) !== config) {
      // What was read, or was not, is not of the remote server that it is now.
      this.#reading.delete(config)
      return this.#refresh()
    }
    await tellConnection(this.#organization(target), target, read)
    const fail = (problem: string) => this.#fail({ problem }, startedAt, everyMs)
    if (read instanceof UpstreamFault) return fail(read.message)
    const applied = await this.#organization(target).applySnapshot(target.server, read.bytes)
    // The organization refuses what is too much of it; what was read last stays.
    if ('refusal' in applied) return fail(applied.refusal.message)
    this.ctx.storage.kv.put(TOOLS_DIGEST, read.digest)
    this.#readings.succeed(Date.now(), everyMs, read.ttlMs)
    await this.#schedule()
    return { revision: applied.value.revision }
  }

  /** Tells of a reading that failed; what was read last stays. */
  async #fail({ problem }: Problem, at: number, everyMs = everyMsOf()): Promise<Refreshed> {
    const owner = this.#owner()
    if (owner === undefined) return GONE
    this.#readings.fail(Date.now(), everyMs)
    await this.#schedule()
    valueOf(await this.#organization(owner).noteRefreshFailure(owner.server, { at, problem }))
    return { problem }
  }

  #reaching<T>(target: Target, work: (reached: Reached) => Promise<T>): Promise<T> {
    return reaching(this.#world, target, work)
  }

  /** The remote server as the organization has it; where it has none, everything here goes. */
  async #find(environment = DEFAULT_ENVIRONMENT): Promise<Found | Problem | undefined> {
    const owner = this.#owner()
    if (owner === undefined) return undefined
    const found = await findRemote(this.#world, this.#organization(owner), owner, environment)
    if (found === undefined) await this.#forget()
    return found
  }

  /** Ends sessions that nobody uses, where they can be reached still. */
  async #endUnused(): Promise<void> {
    if (this.#owner() === undefined) return
    for (const { config, environment, connection } of this.#connections.takeUnused()) {
      const target = await this.#find(environment)
      if (target === undefined) return
      if ('problem' in target || configOf(target) !== config) continue
      await this.#reaching(target, ({ post }) => endSession(post, connection))
    }
  }

  /** Has the watch's stream as it is wanted, one after the other: there is one. */
  #keepWatching(): Promise<void> {
    const kept = this.#watching.then(() => this.#keepStream())
    this.#watching = kept.catch(() => undefined) // which whoever asked is told
    return kept
  }

  /** What fails is tried again, later each time. */
  async #keepStream(): Promise<void> {
    if (this.#owner() === undefined || !this.#watch.isDue(Date.now())) return
    const target = await this.#find()
    if (target === undefined) return
    if ('problem' in target) return this.#watch.fail(Date.now())
    try {
      await this.#reaching(target, (reach) =>
        mending(this.#connections, reach, (connection) =>
          this.#watch.keep(reach.post, connection, Date.now()),
        ),
      )
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error
      this.#watch.fail(Date.now())
    }
  }

  async #tell(uris: readonly string[]): Promise<void> {
    const owner = this.#owner()
    if (owner === undefined) return
    for (const uri of uris) await channelOf(this.env, owner.server).tellUpdated(uri)
  }

  async #wish(gapMs: number): Promise<void> {
    if (this.#owner() === undefined) return
    this.#readings.wish(Date.now(), gapMs)
    await this.#schedule()
  }

  /** Notes whose server this is; under another organization it is another server. */
  async #belongTo({ organization, server }: Owner): Promise<void> {
    const known = this.#owner()
    if (known?.organization === organization) return
    if (known !== undefined) await this.#forget()
    migrate(this.ctx.storage, STEPS)
    this.ctx.storage.kv.put('owner', { organization, server } satisfies Owner)
    this.#readings.start(Date.now())
    await this.#schedule()
  }

  #owner(): Owner | undefined {
    return this.ctx.storage.kv.get<Owner>('owner')
  }

  #organization({ organization }: Owner) {
    return organizationOf(this.env, organization)
  }

  async #forget(): Promise<void> {
    this.#watch.stop()
    await this.ctx.storage.deleteAll()
  }

  /** Sets the alarm for whatever comes next. */
  async #schedule(): Promise<void> {
    if (this.#owner() === undefined) return
    const reasons = [
      this.#readings.dueAt,
      this.#watch.nextAt(),
      this.#connections.nextUnusedAt(),
    ].filter((reason) => reason !== undefined)
    await this.ctx.storage.setAlarm(Math.max(Math.min(...reasons), Date.now() + 1))
  }
}
