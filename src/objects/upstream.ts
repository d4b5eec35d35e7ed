/**
 * Upstream: a remote MCP server as we know it. It finds out the era, opens sessions, reads the lists
 * and hands them to the organization, and hears of changes; each of these once, however many want it.
 * Calls do not come through here: whoever relays one asks for the connection, and keeps it for a while.
 *
 * One object a server, named by its id. Storage: whose server it is (key-value), `connections`,
 * `leases`, `readings`. Everything goes when the server is gone, the tables too.
 */
import { DurableObject } from 'cloudflare:workers'
import { DEFAULT_REFRESH_SECONDS, nameOfUrl } from '../handlers/remote.ts'
import { DEFAULT_ENVIRONMENT } from '../handlers/variable.ts'
import { encodeUtf8 } from '../protocol/bytes.ts'
import { valueOf } from '../protocol/http-error.ts'
import type { Connection } from '../upstream/mcp/connection.ts'
import { endSession } from '../upstream/mcp/end-session.ts'
import { UpstreamFault } from '../upstream/mcp/fault.ts'
import type { Wanted } from '../upstream/mcp/listen.ts'
import type { Target } from '../upstream/relay/target.ts'
import type { Want } from '../upstream/relay/upstreams.ts'
import type { Channel } from './channel.ts'
import { migrate } from './migrate.ts'
import type { Organization } from './organization.ts'
import { channelOf } from './resident.ts'
import {
  configOf,
  Connections,
  CONNECTIONS_BY_ACCOUNT,
  CONNECTIONS_SCHEMA,
} from './upstream/connections.ts'
import { metOf } from './upstream/met.ts'
import { mending, reaching, type Reached } from './upstream/reach.ts'
import { readLists } from './upstream/read-lists.ts'
import { Readings, READINGS_SCHEMA } from './upstream/readings.ts'
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

const STEPS = [CONNECTIONS_SCHEMA, LEASES_SCHEMA, READINGS_SCHEMA, CONNECTIONS_BY_ACCOUNT]
const GONE: Refreshed = { problem: 'the server is gone' }
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

  /** A tool's input schema as it is now, read again unless that was just done; undefined where it is gone. */
  async relist(owner: Owner, tool: string): Promise<unknown> {
    if (Date.now() - this.#relistedAt >= GAP_MS) {
      this.#relistedAt = Date.now()
      await this.refresh(owner)
    }
    return this.env.ORGANIZATION.getByName(owner.organization).remoteSchema(owner.server, tool)
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
      console.error('a remote server could not be looked after', error)
      await this.ctx.storage.setAlarm(Date.now() + RETRY_MS)
    }
  }

  async #refresh(): Promise<Refreshed> {
    const found = await this.#find()
    if (found === undefined) return GONE
    const config = configOf(found)
    const known = this.#reading.get(config)
    if (known !== undefined) return known
    const reading = this.#read(found, config).finally(() => this.#reading.delete(config))
    this.#reading.set(config, reading)
    return reading
  }

  /** Reads the lists and hands them to the organization; notes when to do so again. */
  async #read(target: Target, config: string): Promise<Refreshed> {
    const startedAt = Date.now()
    const everyMs = 1000 * (target.remote.refreshSeconds ?? DEFAULT_REFRESH_SECONDS)
    this.#readings.begin(startedAt)
    await this.#schedule()
    const read = await this.#readLists(target, startedAt)
    const current = await this.#find()
    if (current === undefined) return GONE
    if (configOf(current) !== config) {
      // What was read, or was not, is not of the remote server that it is now.
      this.#reading.delete(config)
      return this.#refresh()
    }
    const organization = this.#organization(target)
    const failed = async (problem: string): Promise<Refreshed> => {
      this.#readings.fail(Date.now(), everyMs)
      await this.#schedule()
      valueOf(await organization.noteRefreshFailure(target.server, { at: startedAt, problem }))
      return { problem }
    }
    if (read instanceof UpstreamFault) return failed(read.message)
    const applied = await organization.applySnapshot(target.server, read.bytes)
    // The organization refuses what is too much of it; what was read last stays.
    if ('refusal' in applied) return failed(applied.refusal.message)
    this.#readings.succeed(Date.now(), everyMs, read.ttlMs)
    await this.#schedule()
    return { revision: applied.value.revision }
  }

  /** The lists as bytes for the organization, or the fault in their place. */
  async #readLists(target: Target, at: number) {
    try {
      return await this.#reaching(target, async (reach) => {
        const { snapshot, ttlMs } = await mending(this.#connections, reach, (connection) =>
          readLists(reach, connection, nameOfUrl(target.remote), at),
        )
        return { bytes: encodeUtf8(JSON.stringify(snapshot)), ttlMs }
      })
    } catch (error) {
      if (error instanceof UpstreamFault) return error
      throw error
    }
  }

  #reaching<T>(target: Target, work: (reached: Reached) => Promise<T>): Promise<T> {
    return reaching(this.#world, target, work)
  }

  /** The remote server as the organization has it; where it has none, everything here goes. */
  async #find(): Promise<Target | undefined> {
    const owner = this.#owner()
    if (owner === undefined) return undefined
    const found = await this.#organization(owner).remote(owner.server, DEFAULT_ENVIRONMENT)
    if (found !== undefined && !('problem' in found)) return { ...owner, ...found, hops: 0 }
    await this.#forget()
    return undefined
  }

  async #endUnused(): Promise<void> {
    if (this.#owner() === undefined) return
    const unused = this.#connections.takeUnused()
    const target = unused.length === 0 ? undefined : await this.#find()
    if (target === undefined) return
    await this.#reaching(target, async ({ post }) => {
      for (const connection of unused) await endSession(post, connection)
    })
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
    for (const uri of uris) await channelOf(this.env.CHANNEL, owner.server).tellUpdated(uri)
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

  #organization({ organization }: Owner): DurableObjectStub<Organization> {
    return this.env.ORGANIZATION.getByName(organization)
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
