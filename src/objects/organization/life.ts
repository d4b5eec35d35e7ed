/**
 * How an organization's object lives, whatever it is asked: its tables, the alarm that tells KV and
 * the Directory what changed, and the way of every command. What the commands do stands beside.
 */
import { outcomeOf, type Outcome } from '../../protocol/http-error.ts'
import { logError } from '../../protocol/log.ts'
import { SealKeys } from '../../sealing/seal-keys.ts'
import type { KvBindings } from '../kv.ts'
import { migrate } from '../migrate.ts'
import type { ChannelBinding, DirectoryBinding } from '../resident.ts'
import { Chores } from './chores.ts'
import { Claims } from './claims.ts'
import type { Context } from './context.ts'
import { notePutAgain, type Publication } from './publications.ts'
import { isGoing, organizationId, requireOrganization } from './record.ts'
import { STEPS } from './schema.ts'

export type OrganizationBindings = KvBindings & ChannelBinding & DirectoryBinding

export class Life {
  readonly keys: SealKeys
  readonly #ctx: DurableObjectState
  readonly #claims: Claims
  readonly #chores: Chores
  /** Whether nothing is stored, not even the tables. */
  #isEmpty = false
  /** When the alarm is set for, as far as this instance has set it. */
  #alarmAt: number | undefined

  constructor(ctx: DurableObjectState, env: OrganizationBindings) {
    this.#ctx = ctx
    this.keys = SealKeys.parse(env.SEAL_KEYS)
    this.#claims = new Claims(ctx.storage, env, () => this.#schedule())
    this.#chores = new Chores(ctx.storage, env, this.#claims, this.keys)
    migrate(ctx.storage, STEPS)
    this.#schedule() // what a crash or a rotation of keys left to do
  }

  /** The database, whose tables are made again for whoever comes after they went. */
  get sql(): SqlStorage {
    if (this.#isEmpty) migrate(this.#ctx.storage, STEPS)
    this.#isEmpty = false
    return this.#ctx.storage.sql
  }

  /** Does what is due, and deletes everything once an organization that is going has told so. */
  async alarm(): Promise<void> {
    this.#alarmAt = undefined
    try {
      await this.#chores.run()
    } catch (error) {
      logError('the alarm will try again', error)
      this.#alarmAt = undefined
      await this.#ctx.storage.setAlarm(Date.now() + this.#chores.backOff())
      return
    }
    const isNothing = organizationId(this.sql) === undefined || isGoing(this.sql)
    if (this.#schedule() || !isNothing) return
    const deleted = this.#ctx.storage.deleteAll()
    this.#alarmAt = undefined
    this.#isEmpty = true
    await deleted
  }

  /** The outcome of a command, which is 404 where there is no organization. */
  async command<T>(command: (context: Context) => T | Promise<T>): Promise<Outcome<T>> {
    return outcomeOf(() => command(this.contextOf(requireOrganization(this.sql).id)))
  }

  /** Has a value put again in a moment: what KV holds of it does not open. */
  publishAgain(publication: Pick<Publication, 'kind' | 'name'>): void {
    notePutAgain(this.sql, publication, Date.now())
    this.#schedule()
  }

  /** What a command works with, in an organization that may be still to be made. */
  contextOf(organization: string): Context {
    return {
      organization,
      sql: this.sql,
      claims: this.#claims,
      now: Date.now(),
      transact: (write) => {
        const result = this.#ctx.storage.transactionSync(write)
        this.#schedule()
        return result
      },
    }
  }

  /** Sets the alarm for what is left to do; false when nothing is. */
  #schedule(): boolean {
    const now = Date.now()
    const at = this.#chores.nextAt(now)
    if (at === undefined) return false
    const dueAt = Math.max(now, at)
    // What is due in hours, as a held call may be, is not worth a write with each command.
    const isSet = this.#alarmAt !== undefined && this.#alarmAt > now && this.#alarmAt <= dueAt
    if (!isSet) {
      this.#alarmAt = dueAt
      this.#ctx.waitUntil(this.#ctx.storage.setAlarm(dueAt))
    }
    return true
  }
}
