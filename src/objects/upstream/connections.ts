/**
 * The connections of one remote server: its era with the date it was found out, the session that all
 * share, and those of sessions whose clients can be asked (`mcp-protocol.md` §8). Where calls are made
 * with accounts, each account has its own. Each is opened once, however many wait for it.
 *
 * Storage: `connections`, a row an account and session, '' for none and for the shared one. Those of an
 * account are of one configuration; another one (URL, headers, credential) begins anew. The rows of
 * sessions and of accounts go after an hour without use.
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

/** What is there is found out again in a moment, and so not kept. */
export const CONNECTIONS_BY_ACCOUNT = `DROP TABLE connections;
 CREATE TABLE connections (
   account TEXT NOT NULL, session TEXT NOT NULL, config TEXT NOT NULL, connection TEXT NOT NULL,
   used_at INTEGER NOT NULL, PRIMARY KEY (account, session)
 ) WITHOUT ROWID;
 CREATE INDEX connections_used ON connections (used_at) WHERE account <> '' OR session <> ''`

const CONNECT_TIMEOUT_MS = 15_000
const UNUSED_MS = 3_600_000
const MAX_OWN = 5000 // of sessions and accounts; the least used one makes room
const SHARED = ''

type Row = { account: string; session: string; config: string; connection: string; used_at: number }

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
      return this.#own(config, target, way, want, want.session, shared.checkedAt)
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
    const known = this.#read(config, target, session)
    if (known === undefined || !isSame(known, failed)) return this.find(target, way, want)
    if (how === 'reopen') {
      return this.#once(`${config} ${session}`, way, () =>
        this.#open(config, target, way, want, known.checkedAt),
      )
    }
    this.#forget(target)
    return this.find(target, way, want)
  }

  /**
   * Takes away some sessions that nobody has used for long, and gives those to be ended; those of
   * accounts are let go, since their credentials are not here.
   */
  takeUnused(): Connection[] {
    const query = `DELETE FROM connections WHERE (account, session) IN
      (SELECT account, session FROM connections
       WHERE (account <> '' OR session <> '') AND used_at <= ? LIMIT 20) RETURNING *`
    const rows = this.#sql.exec<Row>(query, this.#now() - UNUSED_MS).toArray()
    return rows
      .filter(({ account }) => account === '')
      .map(({ connection }) => JSON.parse(connection) as Connection)
  }

  /** When a session will have been unused for long, in ms since the epoch. */
  nextUnusedAt(): number | undefined {
    const oldest = "SELECT MIN(used_at) AS at FROM connections WHERE account <> '' OR session <> ''"
    const { at } = this.#sql.exec<{ at: number | null }>(oldest).one()
    return at === null ? undefined : at + UNUSED_MS
  }

  async #shared(config: string, target: Target, way: Reach): Promise<Connection> {
    const known = this.#read(config, target, SHARED)
    if (known !== undefined && !isStale(known, this.#now())) {
      if (target.account !== undefined) this.#touch(target, SHARED)
      return known
    }
    return this.#once(`${config} shared`, way, async () => {
      const { transport = 'auto' } = target.remote
      const url = way.secrets.reveal(target.remote.url)
      const found = await connect(way.post, {
        ...(transport === 'sse' ? { transport, url } : { transport }),
        capabilities: {},
        now: this.#now(),
        timeoutMs: CONNECT_TIMEOUT_MS,
      })
      // Sessions that were opened under another verdict or configuration are of no use.
      this.#forget(target)
      this.#write(config, target, SHARED, found)
      return found
    })
  }

  async #own(
    config: string,
    target: Target,
    way: Reach,
    want: Want,
    session: string,
    checkedAt: number,
  ) {
    const known = this.#read(config, target, session)
    if (known === undefined) return this.#open(config, target, way, want, checkedAt)
    this.#touch(target, session)
    return known
  }

  /** Opens a session with a server that is known to be a legacy one, since `checkedAt`. */
  async #open(
    config: string,
    target: Target,
    way: Reach,
    { capabilities, session }: Want,
    checkedAt: number,
  ) {
    const options = { timeoutMs: CONNECT_TIMEOUT_MS }
    const opened = await openSession(way.post, this.#now(), capabilities, options)
    const connection: Connection = { ...opened, checkedAt }
    this.#write(config, target, session ?? SHARED, connection)
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

  #read(config: string, target: Target, session: string): Connection | undefined {
    const query = 'SELECT * FROM connections WHERE account = ? AND session = ? AND config = ?'
    const row = this.#sql.exec<Row>(query, accountOf(target), session, config).toArray()[0]
    return row && (JSON.parse(row.connection) as Connection)
  }

  #touch(target: Target, session: string): void {
    const query = 'UPDATE connections SET used_at = ? WHERE account = ? AND session = ?'
    this.#sql.exec(query, this.#now(), accountOf(target), session)
  }

  #forget(target: Target): void {
    this.#sql.exec('DELETE FROM connections WHERE account = ?', accountOf(target))
  }

  #write(config: string, target: Target, session: string, connection: Connection): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO connections (account, session, config, connection, used_at)
       VALUES (?, ?, ?, ?, ?)`,
      accountOf(target),
      session,
      config,
      JSON.stringify(connection),
      this.#now(),
    )
    this.#sql.exec(
      `DELETE FROM connections WHERE (account, session) IN
       (SELECT account, session FROM connections WHERE account <> '' OR session <> ''
        ORDER BY used_at DESC LIMIT -1 OFFSET ?)`,
      MAX_OWN,
    )
  }
}

/** What tells one configuration from another: who is asked, how, and with which credential. */
export function configOf({ remote, sealed, account }: Target): string {
  const { url, transport, headers, auth } = remote
  return sha256Hex(JSON.stringify([url, transport, headers, auth, sealed, account]))
}

/** Whose connections a target's are: an account's, or all callers'. */
function accountOf({ account }: Target): string {
  return account?.id ?? ''
}

function isSame(one: Connection, other: Connection): boolean {
  const sessionOf = (connection: Connection) =>
    connection.era === 'legacy' ? connection.sessionId : undefined
  return one.checkedAt === other.checkedAt && sessionOf(one) === sessionOf(other)
}
