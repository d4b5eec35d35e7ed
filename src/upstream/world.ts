/**
 * What running a call needs of the world outside, given by whoever runs it: the Worker, or a Session.
 * Secrets travel sealed, by name, and are opened where the request that needs them is made.
 */
import type { Place } from '../sealing/seal.ts'
import type { Outbound } from './outbound.ts'
import type { Upstreams } from './relay/upstreams.ts'

/** Sealed secrets by name; one that is not there is absent. */
export type Sealed = Readonly<Record<string, string>>

/** An account with its credential as it is stored: a JSON object of texts, sealed whole. */
export type SealedAccount = {
  id: string
  sealed: string
  /** When its token ends, where that is known. */
  endsAtMs?: number
}

/** Opened secrets by what refers to them (`keyOfReference`). */
export type Secrets = ReadonlyMap<string, string>

export type World = {
  outbound: Outbound
  /**
   * Opens secrets of an organization, and an account's; throws where one does not open there. No
   * promise for what was opened before.
   */
  open: (
    organization: string,
    sealed: Sealed,
    account?: SealedAccount,
  ) => Secrets | Promise<Secrets>
  /** Seals a text for a place, and opens what was sealed for it; throws `CannotOpen` for any other. */
  seal: (place: Place, text: string) => Promise<string>
  unseal: (place: Place, sealed: string) => Promise<string>
  upstreams: Upstreams
}
