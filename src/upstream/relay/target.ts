/** A remote server as a request needs it: where it is, how it is authorized, secrets still sealed. */
import type { ResolvedRemote } from '../../handlers/remote.ts'
import type { Sealed, SealedAccount } from '../world.ts'

export type Target = {
  organization: string
  server: string
  /** As it is in the environment: defaults are filled in where it is used. */
  remote: ResolvedRemote
  sealed: Sealed
  /** The environment it is as it is in; absent: the default one. */
  environment?: string | undefined
  /** The account it is reached with: its connections are its own. */
  account?: SealedAccount | undefined
  /** How many deployments like this one the request came through (`rollcall-hops`). */
  hops: number
}

/** How a remote server is reached, or the problem in that of its own. */
export type Resolved = Pick<Target, 'remote' | 'sealed' | 'environment'> | { problem: string }
