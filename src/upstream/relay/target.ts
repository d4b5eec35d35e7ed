/** A remote server as a request needs it: where it is, how it is authorized, secrets still sealed. */
import type * as z from 'zod'
import type { Remote } from '../../handlers/remote.ts'
import type { Sealed, SealedAccount } from '../world.ts'

export type Target = {
  organization: string
  server: string
  /** As it is stored: defaults are filled in where it is used. */
  remote: z.input<typeof Remote>
  sealed: Sealed
  /** The account it is reached with: its connections are its own. */
  account?: SealedAccount | undefined
  /** How many deployments like this one the request came through (`rollcall-hops`). */
  hops: number
}
