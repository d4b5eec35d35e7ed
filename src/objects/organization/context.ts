/** What the commands of an organization work with. */
import type { Claims } from './claims.ts'

export type Context = {
  organization: string
  sql: SqlStorage
  claims: Claims
  now: number
  /** Runs a write in one transaction and sees to it that the alarm tells KV. */
  transact<T>(write: () => T): T
}

/** Who writes, and the revision a write was meant for, where that was said. */
export type Write = {
  actor: string
  expected?: number | undefined
  /** False of who may not decide held calls, as no key may; absent of us. */
  decides?: boolean
}
