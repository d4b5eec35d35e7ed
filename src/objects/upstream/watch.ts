/**
 * What is heard of a remote server outside of any request: updates of the resources that somebody is
 * subscribed to, and changes of its lists while that stream is open anyway (`mcp-protocol.md` §8.3).
 *
 * Storage: `leases`, a row a resource, '' for the lists. Whoever holds a client's stream says again
 * and again what it wants; what nobody speaks of any more is let go, and with the last the stream.
 */
import type { Connection } from '../../upstream/mcp/connection.ts'
import { ACKNOWLEDGED, listen, type Wanted } from '../../upstream/mcp/listen.ts'
import type { Post } from '../../upstream/mcp/post.ts'
import { sendRequest } from '../../upstream/mcp/request.ts'

export const LEASES_SCHEMA = `CREATE TABLE leases (
   uri TEXT PRIMARY KEY, until INTEGER NOT NULL
 ) WITHOUT ROWID`

const MAX_LEASES = 1000
const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 600_000
/** What the lists are called among the resources. */
const LISTS = ''
const UPDATED = 'notifications/resources/updated'
const LIST_CHANGED = /^notifications\/(?:tools|prompts|resources)\/list_changed$/

export type Heard = {
  /** A resource has other contents. */
  updated: (uri: string) => void
  /** A list may have changed, or a change may have been missed. */
  changed: () => void
}

type Stream = { uris: string; abort: AbortController }

export class Watch {
  readonly #sql: SqlStorage
  readonly #heard: Heard
  #stream: Stream | undefined
  #failures = 0
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

  /** What is wanted now. */
  wanted(now: number): string[] {
    this.#sql.exec('DELETE FROM leases WHERE until <= ?', now)
    const rows = this.#sql.exec<{ uri: string }>('SELECT uri FROM leases ORDER BY uri')
    return rows.toArray().map(({ uri }) => uri)
  }

  /** When to look again, in ms since the epoch; undefined where nothing is wanted. */
  nextAt(): number | undefined {
    const { at } = this.#sql
      .exec<{ at: number | null }>('SELECT MIN(until) AS at FROM leases')
      .one()
    if (at === null) return undefined
    return this.#stream === undefined ? this.#waitUntil : at
  }

  /** Whether another stream has to be opened, or the one there is closed. */
  isDue(now: number): boolean {
    const uris = this.wanted(now)
    if (this.#stream === undefined) return uris.length > 0 && now >= this.#waitUntil
    return this.#stream.uris !== uris.join('\n')
  }

  /** Opens the stream of what is wanted now in place of the one there is; it goes on by itself. */
  async open(post: Post, connection: Connection, now: number): Promise<void> {
    this.stop()
    const uris = this.wanted(now)
    if (uris.length === 0 || connection.era === 'sse') return
    const resources = uris.filter((uri) => uri !== LISTS)
    const stream: Stream = { uris: uris.join('\n'), abort: new AbortController() }
    this.#stream = stream
    const hear = (method: string, { uri }: Readonly<Record<string, unknown>>) => {
      this.#failures = 0
      if (method === UPDATED && typeof uri === 'string') this.#heard.updated(uri)
      if (LIST_CHANGED.test(method)) this.#heard.changed()
      if (method === ACKNOWLEDGED && this.#waitUntil > 0) this.#heard.changed() // after a gap
    }
    try {
      if (connection.era === 'legacy') {
        for (const uri of resources) {
          await sendRequest(post, connection, { method: 'resources/subscribe', params: { uri } })
        }
      }
      await listen(post, connection, { uris: resources, lists: true }, hear, stream.abort.signal)
    } catch (error) {
      if (stream.abort.signal.aborted) return
      console.error('the stream of a remote server has ended', error)
    } finally {
      if (this.#stream === stream) {
        this.#stream = undefined
        this.#waitUntil = Date.now() + Math.min(FIRST_WAIT_MS * 2 ** this.#failures++, MAX_WAIT_MS)
      }
    }
  }

  /** Closes the stream. */
  stop(): void {
    this.#stream?.abort.abort()
    this.#stream = undefined
  }
}
