/**
 * Who asks. On a hosted server a caller sees all of its tools, or the names its key is for; on the
 * gateway it is a principal, and sees what is that one's.
 */
import type { ActingKind } from './may.ts'
import type { Principal } from './principal.ts'

export type Caller = {
  /** The credential's id; `anonymous` where there is none. */
  id: string
  tools: { names: ReadonlySet<string>; key: string } | undefined
  /** Who has signed in, where a token says so: the hash of its external id. */
  person?: string
  /** When the credential ends, in ms since the epoch; never: Infinity. */
  expiresAtMs: number
}

export const ANONYMOUS: Caller = { id: 'anonymous', tools: undefined, expiresAtMs: Infinity }

/** Who asks the gateway, and by what. */
export type GatewayCaller = {
  credential: {
    /** The key's id; of a session or an OAuth token, the member's. */
    id: string
    kind: ActingKind
    /** The environment that the key is bound to. */
    environment?: string
    /** Who has signed in, where a session or a token says so: the hash of its external id. */
    person?: string
    expiresAtMs: number
  }
  principal: Principal
}
