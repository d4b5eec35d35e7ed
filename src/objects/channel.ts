/**
 * Channel: who listens to one server. The Worker holds each client's stream and a hibernatable
 * WebSocket to here, so idle listeners cost nothing; one announcement reaches every one of them.
 *
 * Storage: the index of the server's sessions, and the revision announced last. A socket's tags are
 * its session or the caller it listens for, so that the right ones can be closed.
 */
import { logError } from '../protocol/log.ts'
import { DurableObject } from 'cloudflare:workers'
import { GOODBYE, type Notice } from './channel-socket.ts'
import { migrate } from './migrate.ts'

const MAX_STREAMS_PER_LISTENER = 100 // a session, or a caller of the stateless era
const MAX_STREAMS_PER_PARTY = 2000 // a key with all its sessions, or an address
const MAX_STREAMS = 30_000 // the platform ends at 32,768 sockets

/** What is kept with a socket: an earlier stream of a session may be one whose client has left. */
type Attachment = { session: string | null; openedAt: number }

export type ListedSession = {
  id: string
  caller: string
  revision: string
  clientInfo: string
  createdAt: number
}

const STEPS = [
  `CREATE TABLE sessions (
     id TEXT PRIMARY KEY, caller TEXT NOT NULL, revision TEXT NOT NULL, client_info TEXT NOT NULL,
     created_at INTEGER NOT NULL
   ) WITHOUT ROWID`,
]

type Row = { id: string; caller: string; revision: string; client_info: string; created_at: number }

export class Channel extends DurableObject {
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never)
    migrate(ctx.storage, STEPS)
  }

  /**
   * Opens the socket of a stream. `listener` and `party` in the query are whose streams are counted
   * together, `caller`, `principal` and `session` who it can be closed for. The first message is the newest notice.
   */
  override async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams
    const session = query.get('session')
    const listener = `listener ${query.get('listener')}`
    if (session !== null && !this.#isKnown(session)) return new Response(null, { status: 404 })
    const party = `party ${query.get('party')}`
    const isFull =
      this.ctx.getWebSockets(listener).length >= MAX_STREAMS_PER_LISTENER ||
      this.ctx.getWebSockets(party).length >= MAX_STREAMS_PER_PARTY ||
      this.ctx.getWebSockets().length >= MAX_STREAMS
    if (isFull) return new Response(null, { status: 429 })
    const { 0: client, 1: server } = new WebSocketPair()
    const principal = query.get('principal')
    const tags = [listener, party, `caller ${query.get('caller')}`]
    if (principal !== null) tags.push(`principal ${principal}`)
    if (session !== null) tags.push(`session ${session}`)
    this.ctx.acceptWebSocket(server, tags)
    server.serializeAttachment({ session, openedAt: Date.now() } satisfies Attachment)
    server.send(JSON.stringify({ revision: this.#revision() } satisfies Notice))
    return new Response(null, { status: 101, webSocket: client })
  }

  /** Tells every stream of a new revision; of the streams of one session, the newest alone. */
  announce(revision: number): void {
    if (revision > this.#revision()) this.ctx.storage.kv.put('revision', revision)
    this.#notify({ revision })
  }

  /** Has a session look again, on the newest stream that it has left: one of it has died. */
  nudge(session: string): void {
    this.#notify({ revision: this.#revision() }, `session ${session}`)
  }

  /** Has the streams of one principal look again: what is its own has changed. */
  nudgePrincipal(principal: string): void {
    this.#notify({ revision: this.#revision(), own: true }, `principal ${principal}`)
  }

  /** Tells every stream that a resource of a remote server has other contents. */
  tellUpdated(uri: string): void {
    this.#notify({ updated: uri })
  }

  #notify(news: Notice, tag?: string): void {
    const notice = JSON.stringify(news)
    const told = new Set<string>()
    const sockets = this.ctx.getWebSockets(tag).map((socket) => {
      return { socket, ...(socket.deserializeAttachment() as Attachment) }
    })
    for (const { socket, session } of sockets.toSorted((a, b) => b.openedAt - a.openedAt)) {
      if (session !== null && told.has(session)) continue
      if (session !== null) told.add(session)
      sendTo(socket, notice)
    }
  }

  /** Closes the streams of a caller whose credential is dead. */
  hangUp(caller: string): void {
    this.#close(`caller ${caller}`)
  }

  /** Closes the streams of a principal that is suspended or gone. */
  hangUpPrincipal(principal: string): void {
    this.#close(`principal ${principal}`)
  }

  /** Closes every stream and forgets every session: the server is gone, its id may be another's next. */
  hangUpAll(): void {
    this.ctx.storage.kv.delete('revision')
    this.ctx.storage.sql.exec('DELETE FROM sessions')
    this.#close(undefined)
  }

  /** Puts a session into the index. */
  enter(id: string, session: Omit<ListedSession, 'id'>): void {
    this.ctx.storage.sql.exec(
      'INSERT OR REPLACE INTO sessions (id, caller, revision, client_info, created_at) VALUES (?, ?, ?, ?, ?)',
      id,
      session.caller,
      session.revision,
      session.clientInfo,
      session.createdAt,
    )
  }

  /** Takes a session out of the index, and closes its streams. */
  leave(id: string): void {
    this.ctx.storage.sql.exec('DELETE FROM sessions WHERE id = ?', id)
    this.#close(`session ${id}`)
  }

  /** Whether a stream of a session is open. */
  isListening(session: string): boolean {
    return this.ctx.getWebSockets(`session ${session}`).length > 0
  }

  /** The sessions of this server after an id, in order. */
  sessions(after: string, limit: number): ListedSession[] {
    return this.ctx.storage.sql
      .exec<Row>('SELECT * FROM sessions WHERE id > ? ORDER BY id LIMIT ?', after, limit)
      .toArray()
      .map(({ client_info, created_at, ...row }) => ({
        ...row,
        clientInfo: client_info,
        createdAt: created_at,
      }))
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close()
  }

  #isKnown(session: string): boolean {
    const query = 'SELECT 1 AS found FROM sessions WHERE id = ?'
    return [...this.ctx.storage.sql.exec(query, session)].length > 0
  }

  #revision(): number {
    return this.ctx.storage.kv.get<number>('revision') ?? 0
  }

  #close(tag: string | undefined): void {
    for (const socket of this.ctx.getWebSockets(tag)) socket.close(GOODBYE, 'ended')
  }
}

/** Sends to a socket that may have closed a moment ago, which keeps nothing from the others. */
function sendTo(socket: WebSocket, notice: string): void {
  try {
    socket.send(notice)
  } catch (error) {
    logError('a stream had closed', error)
  }
}
