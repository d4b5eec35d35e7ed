/**
 * Claiming and giving up names in the Directory, one at a time for each name, so that a release under
 * way and a new claim of the same name never cross.
 */
import { HttpError } from '../../protocol/http-error.ts'
import type { Directory, NameKind, Owned } from '../directory.ts'
import { directoryOf, type DirectoryBinding } from '../resident.ts'
import { isGoing, organizationId, organizationNotFound } from './record.ts'
import { abandonedNames, forgetName, nameState, setNameState, type Name } from './names.ts'

const TAKEN: Readonly<Record<NameKind, { code: string; what: string }>> = {
  organization: { code: 'name_taken', what: 'organization name' },
  server: { code: 'server_id_taken', what: 'server id' },
  vanity: { code: 'vanity_slug_taken', what: 'vanity slug' },
  credential: { code: 'key_taken', what: 'key' },
  external: { code: 'external_id_taken', what: 'external id' },
}

/** Names that were claimed are not those that a change turned out to need; it is tried again. */
export class NamesMoved extends HttpError {
  constructor() {
    super(409, 'changed_meanwhile', 'The server was changed meanwhile; try again')
  }
}

/** Thrown to have a transaction taken back. */
const UNDO = new Error('this was a rehearsal')

/** By then a command has ended, or the object has and the name is nobody's. */
const IN_USE_MS = 30_000

export class Claims {
  readonly #storage: DurableObjectStorage
  readonly #env: DirectoryBinding
  readonly #turns = new Map<string, Promise<void>>()
  /** How many commands are at work with a name; the alarm leaves those alone. */
  readonly #inUse = new Map<string, number>()

  readonly #schedule: () => void

  constructor(storage: DurableObjectStorage, env: DirectoryBinding, schedule: () => void) {
    this.#storage = storage
    this.#env = env
    this.#schedule = schedule
  }

  /**
   * Claims the names for an owner and then runs `commit` in a transaction that marks them held.
   * Throws 409 when one is another's, `NamesMoved` when one that was held is being given up, 404 when
   * the organization went meanwhile; what was claimed for nothing is given up by the alarm.
   */
  async claiming<T>(owner: string, names: readonly Name[], commit: () => T): Promise<T> {
    const { sql } = this.#storage
    const missing = names.filter((name) => nameState(sql, name) !== 'held')
    for (const name of names) this.#use(name, 1)
    for (const name of missing) setNameState(sql, name, 'pending')
    this.#schedule()
    try {
      for (const name of missing) {
        await this.#inTurn(name, () => this.#claim(name, { owner, target: name.target }))
      }
      return this.#commit(() => {
        const others = names.filter((name) => !missing.includes(name))
        if (others.some((name) => nameState(sql, name) !== 'held')) throw new NamesMoved()
        for (const name of missing) setNameState(sql, name, 'held')
        return commit()
      })
    } finally {
      for (const name of names) this.#use(name, -1)
      this.#schedule()
    }
  }

  /**
   * What `change` gives in a transaction that is taken back. Throws 409 when one of the names is
   * another's; none is claimed.
   */
  async rehearsing<T>(owner: string, names: readonly Name[], change: () => T): Promise<T> {
    for (const name of names) {
      const held = await this.#directory(name).find(name.kind, name.name)
      if (held !== undefined && held.owner !== owner) throw taken(name)
    }
    const results: T[] = []
    try {
      this.#commit(() => {
        results.push(change())
        throw UNDO
      })
    } catch (error) {
      if (error !== UNDO) throw error
    }
    return results[0] as T
  }

  /** Gives up every name that nothing here needs and no command is at work with. */
  async releaseAbandoned(): Promise<void> {
    const { sql } = this.#storage
    for (const name of abandonedNames(sql)) {
      if (this.#isInUse(name)) continue // its claim may be slow, and is not waited for
      await this.#inTurn(name, async () => {
        if (this.#isInUse(name) || nameState(sql, name) === 'held') return
        await this.#directory(name).release(name.kind, name.name, ownerOf(sql, name))
        // A command that came meanwhile has marked it pending and waits for its turn to claim it.
        if (!this.#isInUse(name)) forgetName(sql, name)
      })
    }
  }

  /** When the alarm should look: at once for names to give up, later for those still in use. */
  nextAt(now: number): number | undefined {
    const names = abandonedNames(this.#storage.sql)
    if (names.length === 0) return undefined
    return names.every((name) => this.#isInUse(name)) ? now + IN_USE_MS : now
  }

  async #claim(name: Name, owned: Owned): Promise<void> {
    if (!(await this.#directory(name).claim(name.kind, name.name, owned))) throw taken(name)
  }

  #directory({ kind, name }: Name): DurableObjectStub<Directory> {
    return directoryOf(this.#env, kind, name)
  }

  /** Runs a change in a transaction; 404 when the organization went meanwhile. */
  #commit<T>(change: () => T): T {
    return this.#storage.transactionSync(() => {
      if (isGoing(this.#storage.sql)) throw organizationNotFound()
      return change()
    })
  }

  async #inTurn(name: Name, work: () => Promise<void>): Promise<void> {
    const key = keyOf(name)
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(work)
    const settled = turn.catch(() => {}) // the one who waits for `turn` sees its error
    this.#turns.set(key, settled)
    try {
      await turn
    } finally {
      if (this.#turns.get(key) === settled) this.#turns.delete(key)
    }
  }

  #use(name: Name, change: 1 | -1): void {
    const count = (this.#inUse.get(keyOf(name)) ?? 0) + change
    if (count === 0) this.#inUse.delete(keyOf(name))
    else this.#inUse.set(keyOf(name), count)
  }

  #isInUse(name: Name): boolean {
    return this.#inUse.has(keyOf(name))
  }
}

function taken({ kind, name }: Name): HttpError {
  const { code, what } = TAKEN[kind]
  return new HttpError(409, code, `The ${what} "${name}" is taken`)
}

/** Who claims a name: before the organization is made there is none but its own, which is of its id. */
function ownerOf(sql: SqlStorage, { target }: Name): string {
  return organizationId(sql) ?? target
}

function keyOf({ kind, name }: Name): string {
  return `${kind}:${name}`
}
