/**
 * What the organization's alarm does: publish first, then seal secrets and credentials anew under
 * the newest key, end held calls that nobody waits for, then give up names. Each is idempotent, and
 * done again until nothing is left.
 */
import { logError } from '../../protocol/log.ts'
import { CannotOpen } from '../../sealing/seal.ts'
import type { SealKeys } from '../../sealing/seal-keys.ts'
import type { Kv } from '../../catalog/kv-door.ts'
import { kvOf, type KvBindings } from '../kv.ts'
import type { ChannelBinding } from '../resident.ts'
import type { Claims } from './claims.ts'
import { nextHeldAt, settleHeld } from './held-rows.ts'
import { nextPublicationAt } from './publications.ts'
import { announceDue, publishDue } from './publish.ts'
import { isGoing, organizationId } from './record.ts'
import { nameOf, resealOne, sealedToReseal } from './reseal.ts'

const RETRY_MS = 1000
const MAX_RETRY_MS = 60_000

export class Chores {
  readonly #storage: DurableObjectStorage
  readonly #env: ChannelBinding
  readonly #kv: Kv
  readonly #claims: Claims
  readonly #keys: SealKeys
  /** Sealed values whose key is gone; they are left as they are. */
  readonly #unopenable = new Set<string>()
  #failures = 0

  constructor(
    storage: DurableObjectStorage,
    env: KvBindings & ChannelBinding,
    claims: Claims,
    keys: SealKeys,
  ) {
    this.#storage = storage
    this.#env = env
    this.#kv = kvOf(env)
    this.#claims = claims
    this.#keys = keys
  }

  /** Does what is due; throws when KV or the Directory refuses. */
  async run(): Promise<void> {
    const failures: unknown[] = []
    const organization = organizationId(this.#storage.sql)
    const chores = organization === undefined ? [] : this.#choresOf(organization)
    for (const chore of [...chores, () => this.#claims.releaseAbandoned()]) {
      try {
        await chore()
      } catch (error) {
        failures.push(error) // which keeps none of the others waiting
      }
    }
    if (failures.length > 0) throw failures[0]
    this.#failures = 0
  }

  #choresOf(organization: string): (() => Promise<void>)[] {
    const [storage, kv, env] = [this.#storage, this.#kv, this.#env]
    const publisher = { storage, kv, env, organization, now: Date.now }
    return [
      () => publishDue(publisher),
      () => announceDue(publisher),
      () => this.#reseal(organization),
      async () => this.#storage.transactionSync(() => settleHeld(this.#storage.sql, Date.now())),
    ]
  }

  /** When there is something to do, in ms since the epoch; undefined when nothing is left. */
  nextAt(now: number): number | undefined {
    const { sql } = this.#storage
    const isResealing = sealedToReseal(sql, this.#keys, this.#unopenable).length > 0
    const reasons = [
      nextPublicationAt(sql, this.#kv.sealedBy),
      this.#claims.nextAt(now),
      isResealing ? now : undefined,
      isGoing(sql) ? undefined : nextHeldAt(sql),
    ]
    const times = reasons.filter((at) => at !== undefined)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  /** How long to wait after a failure, in ms: longer each time in a row. */
  backOff(): number {
    return Math.min(RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS)
  }

  async #reseal(organization: string): Promise<void> {
    for (const sealed of sealedToReseal(this.#storage.sql, this.#keys, this.#unopenable)) {
      try {
        await resealOne(this.#storage.sql, this.#keys, organization, sealed)
      } catch (error) {
        if (!(error instanceof CannotOpen)) throw error
        logError('a secret was sealed with a key that SEAL_KEYS lacks', error)
        this.#unopenable.add(nameOf(sealed))
      }
    }
  }
}
