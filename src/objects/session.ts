/**
 * Session: one conversation of a client of the session era, found by its `Mcp-Session-Id`. It checks
 * who speaks, frames and streams the answers, runs the calls, and keeps what a client may ask for
 * again. It never holds an idle stream open: those are the Worker's, by way of Channel.
 *
 * Storage: `session` (session/record.ts) and the log's tables (session/event-log.ts), all made by
 * `open` and all deleted by the alarm. Deciding what is in a list is the Worker's work.
 */
import { DurableObject } from 'cloudflare:workers'
import { HttpError, outcomeOf, type Outcome } from '../protocol/http-error.ts'
import type { Response as Reply } from '../protocol/json-rpc.ts'
import type { LogLevel } from '../protocol/logging.ts'
import { EVENT_STREAM_HEADERS } from '../protocol/sse.ts'
import { logError } from '../protocol/log.ts'
import { callLogOf } from './call-log.ts'
import type { Channel } from './channel.ts'
import { channelOf, type ChannelBinding, type OrganizationBinding } from './resident.ts'
import { answerOnce, answerOnStream, type Desk } from './session/answer-call.ts'
import { Calls } from './session/calls.ts'
import {
  dropEndedStreams,
  endStream,
  EVENT_LOG_SCHEMA,
  nextDropAt,
  openStreams,
} from './session/event-log.ts'
import {
  isStale,
  PACKET_HEADER,
  STALE_STATUS,
  type CallBody,
  type Packet,
  type Stale,
} from './session/packet.ts'
import {
  ended,
  endsAt,
  hasEnded,
  isOf,
  learn,
  subscribed,
  touched,
  type Learned,
  type Claim,
  type SessionRecord,
} from './session/record.ts'
import { lostAnswer } from './session/run-call.ts'
import { Streams } from './session/streams.ts'
import { worldOf, type WorldBindings } from './world.ts'

export type SessionBindings = WorldBindings & OrganizationBinding & ChannelBinding

const MAX_CALLS = 100 // under way at once in a session
const MAX_SUBSCRIPTIONS = 100 // each is looked at with every change
const JSON_TYPE = { 'Content-Type': 'application/json' }
const ASK_AGAIN_MS = 2000 // by then a stream has its next socket
const RETRY_MS = 10_000 // when Channel could not be told that the session ended

export class Session extends DurableObject<SessionBindings> {
  readonly #streams = new Streams(this.ctx.storage.sql)
  readonly #calls = new Calls()
  readonly #desk: Desk = {
    calls: this.#calls,
    streams: this.#streams,
    world: worldOf(this.env),
    note: (entry) => callLogOf(this.env).add(entry, (work) => this.ctx.waitUntil(work)),
    session: this.#id(),
    waitUntil: (work) => this.ctx.waitUntil(work),
  }
  #record: SessionRecord | undefined
  /** Nothing was heard of it when its time was up first. */
  #wasUnheard = false

  /** Opens the session; everything it stores begins here. */
  async open(record: SessionRecord): Promise<void> {
    const { storage } = this.ctx
    storage.transactionSync(() => {
      storage.sql.exec(EVENT_LOG_SCHEMA)
      storage.kv.put('session', record)
    })
    this.#record = record
    await storage.setAlarm(endsAt(record))
    await this.#channel(record).enter(this.#id(), {
      caller: record.caller,
      clientInfo: record.clientInfo,
      revision: record.revision,
      createdAt: record.createdAt,
    })
  }

  override async fetch(request: Request): Promise<Response> {
    const packet = JSON.parse(request.headers.get(PACKET_HEADER) ?? '{}') as Packet
    // Read first: the session may end while a body is read.
    const call = packet.kind === 'call' ? await request.json<CallBody>() : undefined
    const record = this.#find(packet)
    if (record === undefined) return new Response(null, { status: 404 })
    this.#touch(record)
    if (isStale(record, packet)) {
      const { revision, catalogRevision } = record
      return Response.json({ revision, catalogRevision } satisfies Stale, { status: STALE_STATUS })
    }
    if (packet.kind === 'resume') return this.#resume(packet.lastEventId)
    if (call === undefined) {
      return new Response(request.body, {
        headers: packet.stream ? EVENT_STREAM_HEADERS : JSON_TYPE,
      })
    }
    if (this.#calls.size >= MAX_CALLS) return new Response(null, { status: 429 })
    return this.#call(packet.stream, record, call)
  }

  /** Notes what a notification means for this session; 404 where there is none. */
  async notify(claim: Claim, method: string, requestId: unknown): Promise<Outcome<void>> {
    return this.#within(claim, () => {
      if (method !== 'notifications/cancelled') return
      this.#calls.cancel(requestId)
    })
  }

  /** Gives a client's answer to the call that asked. */
  async answer(claim: Claim, reply: Reply): Promise<Outcome<void>> {
    return this.#within(claim, () => this.#calls.answer(reply))
  }

  async setLogLevel(claim: Claim, logLevel: LogLevel): Promise<Outcome<void>> {
    return this.#within(claim, (record) => this.#write({ ...record, logLevel }))
  }

  /** Adds a subscribed URI, what it is now counting as told, or takes one away. */
  async setSubscriptions(
    claim: Claim,
    change: { add?: string; remove?: string },
    digests: Readonly<Record<string, string>>,
  ): Promise<Outcome<void>> {
    return this.#within(claim, (record) => {
      const changed = subscribed(record, change, digests)
      if (changed.subscriptions.length > MAX_SUBSCRIPTIONS) {
        throw new HttpError(429, 'too_many_subscriptions', `At most ${MAX_SUBSCRIPTIONS} resources`)
      }
      this.#write(changed)
    })
  }

  /** What a stream of this session has to know; 404 where there is none. */
  async describe(claim: Claim): Promise<Outcome<SessionRecord>> {
    return this.#within(claim, (record) => record)
  }

  /**
   * Takes in that the server is at a revision, with the digests of what this caller is shown there.
   * Answers the names whose digest the client was not told of yet, and counts them as told; and the
   * URIs that it is subscribed to by now.
   */
  async learn(claim: Claim, digests: Readonly<Record<string, string>>): Promise<Outcome<Learned>> {
    return this.#within(claim, (record) => {
      const { next, learned } = learn(record, claim.catalogRevision ?? 0, digests)
      if (next !== record) this.#write(next)
      return learned
    })
  }

  /** Takes it that the client was not told of these names after all: its next stream tells it. */
  async forget(claim: Claim, names: readonly string[]): Promise<Outcome<void>> {
    return this.#within(claim, (record) => {
      const untold = Object.fromEntries(names.map((name) => [name, '']))
      this.#write({ ...record, announced: { ...record.announced, ...untold } })
    })
  }

  /** Ends the session at once; false where there is none. Without a claim it is the operator's word. */
  async end(claim: Claim | undefined, organization?: string): Promise<boolean> {
    const record = claim === undefined ? this.#load() : this.#find(claim)
    if (record === undefined) return false
    if (organization !== undefined && record.organization !== organization) return false
    this.#calls.cancelAll()
    this.#streams.endAll(Date.now())
    this.#write(ended(record))
    this.#record = undefined
    await this.ctx.storage.setAlarm(Date.now())
    return true
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx
    const record = storage.kv.get<SessionRecord>('session')
    if (record === undefined) return
    const now = Date.now()
    const current = this.#record ?? record
    const isOver = endsAt(current) <= now && !(await this.#isHeardOf(current))
    // It may have been used, or ended, while Channel was asked.
    if (isOver && endsAt(this.#record ?? current) <= now && this.#calls.size === 0) {
      return hasEnded(current) || this.#wasUnheard ? this.#delete(current) : this.#askAgain()
    }
    this.#wasUnheard = false
    for (const { id } of openStreams(storage.sql)) {
      if (!this.#streams.isLive(id)) endStream(storage.sql, id, now)
    }
    dropEndedStreams(storage.sql, now)
    const at = Math.min(endsAt(this.#record ?? record), nextDropAt(storage.sql) ?? Infinity)
    await storage.setAlarm(Math.max(at, now + 1))
  }

  /** Between two sockets to Channel a stream looks closed, so a session ends only the second time. */
  async #askAgain(): Promise<void> {
    this.#wasUnheard = true
    await this.ctx.storage.setAlarm(Date.now() + ASK_AGAIN_MS)
  }

  async #delete(record: SessionRecord): Promise<void> {
    const { storage } = this.ctx
    this.#write(ended(record)) // from here on nobody finds it
    try {
      await this.#channel(record).leave(this.#id())
    } catch (error) {
      logError('Channel could not be told that a session ended', error)
      await storage.setAlarm(Date.now() + RETRY_MS)
      return
    }
    this.#record = undefined
    await storage.deleteAll()
  }

  /** A session whose client holds a stream open, or waits for a call, is in use. */
  async #isHeardOf(record: SessionRecord): Promise<boolean> {
    if (hasEnded(record)) return false
    const isInUse = this.#calls.size > 0 || (await this.#channel(record).isListening(this.#id()))
    if (isInUse) this.#write({ ...record, isUsed: true, lastUsedAt: Date.now() })
    return isInUse
  }

  #resume(lastEventId: string): Response {
    const body = this.#streams.resume(lastEventId, lostAnswer, Date.now())
    if (body === undefined) return new Response(null, { status: 400 })
    return new Response(body, { headers: EVENT_STREAM_HEADERS })
  }

  async #call(isStream: boolean, record: SessionRecord, call: CallBody): Promise<Response> {
    if (!isStream) return answerOnce(this.#desk, record, call)
    const { response, done } = answerOnStream(this.#desk, record, call)
    this.ctx.waitUntil(done.then(() => this.#scheduleDrop()))
    return response
  }

  async #scheduleDrop(): Promise<void> {
    const at = nextDropAt(this.ctx.storage.sql)
    const next = await this.ctx.storage.getAlarm()
    if (at !== undefined && next !== null && at < next) await this.ctx.storage.setAlarm(at)
  }

  async #within<T>(claim: Claim, work: (record: SessionRecord) => T): Promise<Outcome<T>> {
    return outcomeOf(() => {
      const record = this.#find(claim)
      if (record === undefined)
        throw new HttpError(404, 'session_not_found', 'There is no such session')
      this.#touch(record)
      return work(this.#record ?? record)
    })
  }

  #find(claim: Claim): SessionRecord | undefined {
    const record = this.#load()
    return record !== undefined && isOf(record, claim) ? record : undefined
  }

  #load(): SessionRecord | undefined {
    this.#record ??= this.ctx.storage.kv.get<SessionRecord>('session')
    // One whose time is up is ended by the alarm, which first asks whether a stream of it is open.
    return this.#record === undefined || hasEnded(this.#record) ? undefined : this.#record
  }

  #touch(record: SessionRecord): void {
    const used = touched(record, Date.now())
    if (used !== record) this.#write(used)
  }

  #write(record: SessionRecord): void {
    this.#record = record
    this.ctx.storage.kv.put('session', record)
  }

  #channel({ server }: SessionRecord): DurableObjectStub<Channel> {
    return channelOf(this.env, server)
  }

  #id(): string {
    return this.ctx.id.toString()
  }
}
