/**
 * What is heard of a remote server outside of any request: updates of the resources that somebody is
 * subscribed to, and changes of its lists while that stream is open anyway (`mcp-protocol.md` §8.3).
 *
 * Storage: `leases`, a row a resource, '' for the lists. Whoever holds a client's stream says again
 * and again what it wants; what nobody speaks of any more is let go, and with the last the stream.
 */
import { MAX_URI_LENGTH } from '../../protocol/uri-template.ts'
import type {
  Connection,
  LegacyConnection,
  ModernConnection,
} from '../../upstream/mcp/connection.ts'
import { UpstreamFault } from '../../upstream/mcp/fault.ts'
import { ACKNOWLEDGED, listen, type Wanted } from '../../upstream/mcp/listen.ts'
import type { Post } from '../../upstream/mcp/post.ts'
import { sendRequest } from '../../upstream/mcp/request.ts'

export const LEASES_SCHEMA = `CREATE TABLE leases (
   uri TEXT PRIMARY KEY, until INTEGER NOT NULL
 ) WITHOUT ROWID`

const MAX_LEASES = 1000
const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 600_000
/** A stream that was open for so long was no failure. */
const LASTING_MS = 60_000
const TELL_MS = 100 // updates of a resource in this time are one
/** What the lists are called among the resources. */
const LISTS = ''
const UPDATED = 'notifications/resources/updated'
const LIST_CHANGED = /^notifications\/(?:tools|prompts|resources)\/list_changed$/

export type Heard = {
  /** Resources have other contents. */
  updated: (uris: readonly string[]) => void
  /** A list may have changed, or a change may have been missed. */
  changed: () => void
  /** The stream has ended by itself: it is to be opened again at `nextAt`. */
  ended: () => void
  waitUntil: (running: Promise<unknown>) => void
}

type Listened = LegacyConnection | ModernConnection
type Stream = {
  connection: Listened
  uris: readonly string[]
  abort: AbortController
  openedAt: number
}

export class Watch {
  readonly #sql: SqlStorage
  readonly #heard: Heard
  #stream: Stream | undefined
  readonly #updated = new Set<string>()
  #failures = 0
  /** No stream is opened before, however often other things are wanted. */
  #waitUntil = 0

  constructor(sql: SqlStorage, heard: Heard) {
    this.#sql = sql
    this.#heard = heard
  }

  /** Wants something until a time, in ms since the epoch. */
  lease({ uris, lists }: Wanted, until: number): void {
    for (const uri of lists ? [...uris, LISTS] : uris) {
      this.#sql.exec('INSERT OR REPLACE INTO leases (uri, until) VALUES (?, ?)', uri, until)
    }
    this.#sql.exec(
      'DELETE FROM leases WHERE uri NOT IN (SELECT uri FROM leases ORDER BY until DESC LIMIT ?)',
      MAX_LEASES,
    )
  }

  /** When to look again, in ms since the epoch; undefined where nothing is wanted or heard. */
  nextAt(): number | undefined {
    const query = 'SELECT MIN(until) AS at FROM leases'
    const { at } = this.#sql.exec<{ at: number | null }>(query).one()
    if (at === null) return undefined
    return this.#stream === undefined ? this.#waitUntil : at
  }

  /** Whether the stream is to be opened, or is to hear of something else. */
  isDue(now: number): boolean {
    const uris = this.#wanted(now)
    if (this.#stream === undefined) return uris.length > 0 && now >= this.#waitUntil
    return this.#stream.uris.join('\n') !== uris.join('\n')
  }

  /** Has the stream hear of what is wanted now, and opens or closes it; throws where it cannot be had. */
  async keep(post: Post, connection: Connection, now: number): Promise<void> {
    const uris = this.#wanted(now)
    if (connection.era === 'sse') return this.#pause(now, MAX_WAIT_MS) // it has no such stream
    const known = this.#stream
    const isSame = known !== undefined && isSameSession(known.connection, connection)
    if (connection.era === 'legacy') {
      const before = isSame ? known.uris : []
      await subscribe(post, connection, without(uris, before), 'subscribe')
      await subscribe(post, connection, without(before, uris), 'unsubscribe')
      if (isSame && uris.length > 0) {
        known.uris = uris
        return
      }
    }
    if (uris.length > 0) await this.#open(post, { connection, uris })
    else this.stop()
    if (known !== this.#stream) known?.abort.abort() // only now, so that nothing is missed between
    if (known === undefined) this.#heard.changed() // what there was to hear before is not known
  }

  /** It could not be kept: the next try is later, the more have failed. */
  fail(now: number): void {
    this.#pause(now, Math.min(FIRST_WAIT_MS * 2 ** this.#failures++, MAX_WAIT_MS))
  }

  /** Tells of an update in a moment: a remote server may say so without end. */
  #tell(uri: string): void {
    if (uri.length > MAX_URI_LENGTH || this.#updated.size >= MAX_LEASES) return
    if (this.#updated.size === 0) {
      setTimeout(() => {
        const updated = [...this.#updated]
        this.#updated.clear()
        this.#heard.updated(updated)
      }, TELL_MS)
    }
    this.#updated.add(uri)
  }

  /** Closes the stream. */
  stop(): void {
    this.#stream?.abort.abort()
    this.#stream = undefined
  }

  /** Opens a stream, which goes on by itself once it is open. */
  async #open(post: Post, of: Pick<Stream, 'connection' | 'uris'>): Promise<void> {
    const stream: Stream = { ...of, abort: new AbortController(), openedAt: Date.now() }
    const opened = Promise.withResolvers<void>()
    const hear = (method: string, { uri }: Readonly<Record<string, unknown>>) => {
      if (method === ACKNOWLEDGED) {
        this.#stream = stream
        opened.resolve()
        return
      }
      this.#failures = 0
      if (method === UPDATED && typeof uri === 'string') this.#tell(uri)
      if (LIST_CHANGED.test(method)) this.#heard.changed()
    }
    const { connection, abort } = stream
    const uris = stream.uris.filter((uri) => uri !== LISTS)
    const running = listen(post, connection, { uris, lists: true }, hear, abort.signal)
    this.#heard.waitUntil(
      running.then(
        () => this.#end(stream),
        () => this.#end(stream),
      ),
    )
    await Promise.race([opened.promise, running])
  }

  #end(stream: Stream): void {
    if (this.#stream !== stream) return
    this.#stream = undefined
    const now = Date.now()
    if (now - stream.openedAt >= LASTING_MS) this.#failures = 0
    this.fail(now)
    this.#heard.ended()
  }

  #pause(now: number, ms: number): void {
    this.#waitUntil = now + ms
  }

  #wanted(now: number): string[] {
    this.#sql.exec('DELETE FROM leases WHERE until <= ?', now)
    const rows = this.#sql.exec<{ uri: string }>('SELECT uri FROM leases ORDER BY uri')
    return rows.toArray().map(({ uri }) => uri)
  }
}

/** Subscribes a session to resources, or takes that back; those that it is refused are left out. */
async function subscribe(
  post: Post,
  connection: LegacyConnection,
  uris: readonly string[],
  how: 'subscribe' | 'unsubscribe',
): Promise<void> {
  for (const uri of uris) {
    if (uri === LISTS) continue
    try {
      await sendRequest(post, connection, { method: `resources/${how}`, params: { uri } })
    } catch (error) {
      // Which of them it knows is for the remote server to say.
      if (!(error instanceof UpstreamFault && error.kind === 'rpc' && error.status === 200)) {
        throw error
      }
    }
  }
}

function isSameSession(one: Listened, other: Listened): boolean {
  if (one.era !== 'legacy' || other.era !== 'legacy') return false
  return one.sessionId === other.sessionId && one.checkedAt === other.checkedAt
}

function without(uris: readonly string[], others: readonly string[]): string[] {
  return uris.filter((uri) => !others.includes(uri))
}
