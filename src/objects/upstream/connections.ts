/**
 * The connections of one remote server: its era with the date it was found out, the session that all
 * share, and those of sessions whose clients can be asked (`mcp-protocol.md` §8). Each is opened once,
 * however many wait for it.
 *
 * Storage: `connections`, a row a session, '' for the shared one. All are of one configuration; another
 * one (URL, headers, credential) begins anew. A session's own row goes after an hour without use.
 */
import { sha256Hex } from '../../sealing/digest.ts'
import { connect } from '../../upstream/mcp/connect.ts'
import { isStale, type Connection } from '../../upstream/mcp/connection.ts'
import { openSession } from '../../upstream/mcp/open-session.ts'
import { withoutSecrets, type Reach } from '../../upstream/relay/post-to.ts'
import type { Target } from '../../upstream/relay/target.ts'
import type { Want } from '../../upstream/relay/upstreams.ts'

export const CONNECTIONS_SCHEMA = `CREATE TABLE connections (
   session TEXT PRIMARY KEY, config TEXT NOT NULL, connection TEXT NOT NULL, used_at INTEGER NOT NULL
 ) WITHOUT ROWID`

const CONNECT_TIMEOUT_MS = 15_000
const UNUSED_MS = 3_600_000
const MAX_OWN = 5000 // sessions with a connection of their own; the least used one makes room
const SHARED = ''

type Row = { session: string; config: string; connection: string; used_at: number }

export class Connections {
  readonly #sql: SqlStorage
  readonly #now: () => number
  readonly #flights = new Map<string, Promise<Connection>>()

  constructor(sql: SqlStorage, now: () => number) {
    this.#sql = sql
    this.#now = now
  }

  /** The connection that is wanted, opened where it is not yet, or where its era is to be asked again. */
  find(target: Target, way: Reach, want: Want): Promise<Connection> {
    const config = configOf(target)
    return this.#once(`${config} ${want.session ?? SHARED}`, way, async () => {
      const shared = await this.#shared(config, target, way)
      if (shared.era !== 'legacy' || want.session === undefined) return shared
      return this.#own(config, way, want, want.session, shared.checkedAt)
    })
  }

  /** One in place of a connection that failed; the one that has taken its place already. */
  async replace(
    target: Target,
    way: Reach,
    want: Want,
    failed: Connection,
    how: 'reopen' | 'probe',
  ): Promise<Connection> {
    const config = configOf(target)
    const session = want.session ?? SHARED
    const known = this.#read(config, session)
    if (known === undefined || !isSame(known, failed)) return this.find(target, way, want)
    if (how === 'reopen') {
      return this.#once(`${config} ${session}`, way, () =>
        this.#open(config, way, want, known.checkedAt),
      )
    }
    this.#sql.exec('DELETE FROM connections')
    return this.find(target, way, want)
  }

  /** Takes away some sessions that nobody has used for long, to be ended. */
  takeUnused(): Connection[] {
    const query = `DELETE FROM connections WHERE session IN
      (SELECT session FROM connections WHERE session <> '' AND used_at <= ? LIMIT 20) RETURNING *`
    const rows = this.#sql.exec<Row>(query, this.#now() - UNUSED_MS).toArray()
    return rows.map(({ connection }) => JSON.parse(connection) as Connection)
  }

  /** When a session will have been unused for long, in ms since the epoch. */
  nextUnusedAt(): number | undefined {
    const oldest = "SELECT MIN(used_at) AS at FROM connections WHERE session <> ''"
    const { at } = this.#sql.exec<{ at: number | null }>(oldest).one()
    return at === null ? undefined : at + UNUSED_MS
  }

  async #shared(config: string, target: Target, way: Reach): Promise<Connection> {
    const known = this.#read(config, SHARED)
    if (known !== undefined && !isStale(known, this.#now())) return known
    return this.#once(`${config} shared`, way, async () => {
      const { transport = 'auto', url } = target.remote
      const found = await connect(way.post, {
        ...(transport === 'sse' ? { transport, url } : { transport }),
        capabilities: {},
        now: this.#now(),
        timeoutMs: CONNECT_TIMEOUT_MS,
      })
      // Sessions that were opened under another verdict or configuration are of no use.
      this.#sql.exec('DELETE FROM connections')
      this.#write(config, SHARED, found)
      return found
    })
  }

  async #own(config: string, way: Reach, want: Want, session: string, checkedAt: number) {
    const known = this.#read(config, session)
    if (known === undefined) return this.#open(config, way, want, checkedAt)
    const query = 'UPDATE connections SET used_at = ? WHERE session = ?'
    this.#sql.exec(query, this.#now(), session)
    return known
  }

  /** Opens a session with a server that is known to be a legacy one, since `checkedAt`. */
  async #open(config: string, way: Reach, { capabilities, session }: Want, checkedAt: number) {
    const options = { timeoutMs: CONNECT_TIMEOUT_MS }
    const opened = await openSession(way.post, this.#now(), capabilities, options)
    const connection: Connection = { ...opened, checkedAt }
    this.#write(config, session ?? SHARED, connection)
    return connection
  }

  /** The result of the work under way for a key, or of `work`, started now. */
  #once(key: string, { secrets }: Reach, work: () => Promise<Connection>): Promise<Connection> {
    const flight = this.#flights.get(key)
    if (flight !== undefined) return flight
    const started = work()
      .catch((error: unknown) => {
        throw withoutSecrets(error, secrets) // here, since who joins knows of none
      })
      .finally(() => this.#flights.delete(key))
    this.#flights.set(key, started)
    return started
  }

  #read(config: string, session: string): Connection | undefined {
    const query = 'SELECT * FROM connections WHERE session = ? AND config = ?'
    const row = this.#sql.exec<Row>(query, session, config).toArray()[0]
    return row && (JSON.parse(row.connection) as Connection)
  }

  #write(config: string, session: string, connection: Connection): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO connections (session, config, connection, used_at) VALUES (?, ?, ?, ?)',
      session,
      config,
      JSON.stringify(connection),
      this.#now(),
    )
    this.#sql.exec(
      `DELETE FROM connections WHERE session <> '' AND session NOT IN
       (SELECT session FROM connections ORDER BY used_at DESC LIMIT ?)`,
      MAX_OWN + 1,
    )
  }
}

/** What tells one configuration from another: who is asked, how, and with which credential. */
export function configOf({ remote, sealed }: Target): string {
  const { url, transport, headers, auth } = remote
  return sha256Hex(JSON.stringify([url, transport, headers, auth, sealed]))
}

function isSame(one: Connection, other: Connection): boolean {
  const sessionOf = (connection: Connection) =>
    connection.era === 'legacy' ? connection.sessionId : undefined
  return one.checkedAt === other.checkedAt && sessionOf(one) === sessionOf(other)
}
