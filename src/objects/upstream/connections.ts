/**
 * The connections of one remote server: its era with the date it was found out, the session that all
 * share, and those of sessions whose clients can be asked (`mcp-protocol.md` §8). Each configuration
 * (URL, headers, credential, account) has its own, so environments and accounts are apart where they
 * differ. Each is opened once, however many wait for it.
 *
 * Storage: `connections`, a row a configuration and session, '' for the shared one, with the environment
 * that it can be resolved by. In the default environment one configuration follows the other, and its
 * shared connection stays; all else goes after an hour without use.
 */
import { DEFAULT_ENVIRONMENT } from '../../handlers/variable.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { connect } from '../../upstream/mcp/connect.ts'
import { isStale, type Connection } from '../../upstream/mcp/connection.ts'
import { openSession } from '../../upstream/mcp/open-session.ts'
import { withoutSecrets, type Reach } from '../../upstream/relay/post-to.ts'
import type { Target } from '../../upstream/relay/target.ts'
import type { Want } from '../../upstream/relay/upstreams.ts'
import { once } from './once.ts'

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

/** What is there is found out again, as above. */
export const CONNECTIONS_BY_CONFIG = `DROP TABLE connections;
 CREATE TABLE connections (
   config TEXT NOT NULL, session TEXT NOT NULL, account TEXT NOT NULL, environment TEXT NOT NULL,
   connection TEXT NOT NULL, used_at INTEGER NOT NULL, PRIMARY KEY (config, session)
 ) WITHOUT ROWID;
 CREATE INDEX connections_used ON connections (used_at)
   WHERE account <> '' OR session <> '' OR environment <> '${DEFAULT_ENVIRONMENT}'`

const CONNECT_TIMEOUT_MS = 15_000
const UNUSED_MS = 3_600_000
const MAX_PASSING = 5000 // the least used one makes room
const SHARED = ''
/** Of sessions, accounts and other environments: those that go when nobody uses them. */
const PASSING = `(account <> '' OR session <> '' OR environment <> '${DEFAULT_ENVIRONMENT}')`

type Row = { config: string; account: string; environment: string; connection: string }

/** A connection that is to be ended, with what it is reached by. */
export type Unused = { config: string; environment: string; connection: Connection }

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
    const known = this.#read(config, session)
    if (known === undefined || !isSame(known, failed)) return this.find(target, way, want)
    if (how === 'reopen') {
      return this.#once(`${config} ${session}`, way, () =>
        this.#open(config, target, way, want, known.checkedAt),
      )
    }
    this.#forget(config, target)
    return this.find(target, way, want)
  }

  /**
   * Takes away some that nobody has used for long, and gives those to be ended; those of accounts are
   * let go, since their credentials are not here.
   */
  takeUnused(): Unused[] {
    const query = `DELETE FROM connections WHERE (config, session) IN
      (SELECT config, session FROM connections WHERE ${PASSING} AND used_at <= ? LIMIT 20)
      RETURNING config, account, environment, connection`
    const rows = this.#sql.exec<Row>(query, this.#now() - UNUSED_MS).toArray()
    return rows
      .filter(({ account }) => account === '')
      .map(({ config, environment, connection }) => {
        return { config, environment, connection: JSON.parse(connection) as Connection }
      })
  }

  /** When a session will have been unused for long, in ms since the epoch. */
  nextUnusedAt(): number | undefined {
    const oldest = `SELECT MIN(used_at) AS at FROM connections WHERE ${PASSING}`
    const { at } = this.#sql.exec<{ at: number | null }>(oldest).one()
    return at === null ? undefined : at + UNUSED_MS
  }

  async #shared(config: string, target: Target, way: Reach): Promise<Connection> {
    const known = this.#read(config, SHARED)
    if (known !== undefined && !isStale(known, this.#now())) {
      this.#touch(config, target, SHARED)
      return known
    }
    return this.#once(`${config} shared`, way, async () => {
      const { transport = 'auto' } = target.remote
      const found = await connect(way.post, {
        transport,
        capabilities: {},
        now: this.#now(),
        timeoutMs: CONNECT_TIMEOUT_MS,
      })
      // Sessions that were opened under another verdict or configuration are of no use.
      this.#forget(config, target)
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
    const known = this.#read(config, session)
    if (known === undefined) return this.#open(config, target, way, want, checkedAt)
    this.#touch(config, target, session)
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
    return once(this.#flights, key, () =>
      work().catch((error: unknown) => {
        throw withoutSecrets(error, secrets) // here, since who joins knows of none
      }),
    )
  }

  #read(config: string, session: string): Connection | undefined {
    const query = 'SELECT * FROM connections WHERE config = ? AND session = ?'
    const row = this.#sql.exec<Row>(query, config, session).toArray()[0]
    return row && (JSON.parse(row.connection) as Connection)
  }

  /** It is used now; what the default environment has is of that, whoever else uses it. */
  #touch(config: string, { environment = DEFAULT_ENVIRONMENT }: Target, session: string): void {
    this.#sql.exec(
      `UPDATE connections SET used_at = ?, environment = iif(environment = ?, environment, ?)
       WHERE config = ? AND session = ?`,
      this.#now(),
      DEFAULT_ENVIRONMENT,
      environment,
      config,
      session,
    )
  }

  /** Those of a configuration, and of another one that the environment had before. */
  #forget(config: string, target: Target): void {
    const { environment = DEFAULT_ENVIRONMENT } = target
    const query = 'DELETE FROM connections WHERE config = ? OR (account = ? AND environment = ?)'
    this.#sql.exec(query, config, accountOf(target), environment)
  }

  #write(config: string, target: Target, session: string, connection: Connection): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO connections
       (config, session, account, environment, connection, used_at) VALUES (?, ?, ?, ?, ?, ?)`,
      config,
      session,
      accountOf(target),
      target.environment ?? DEFAULT_ENVIRONMENT,
      JSON.stringify(connection),
      this.#now(),
    )
    this.#sql.exec(
      `DELETE FROM connections WHERE (config, session) IN
       (SELECT config, session FROM connections WHERE ${PASSING}
        ORDER BY used_at DESC LIMIT -1 OFFSET ?)`,
      MAX_PASSING,
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
