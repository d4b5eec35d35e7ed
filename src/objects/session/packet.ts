/** What the Worker asks a Session by `fetch`: a packet in a header, and the answer or call as body. */
import type { PreparedCall } from '../../methods/finish-call.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import type { LegacyRevision } from '../../protocol/revisions.ts'
import type { Claim } from './record.ts'

export const PACKET_HEADER = 'rollcall-packet'

export type Packet = Claim & {
  /** Whether the client takes an event stream. */
  stream: boolean
} & (
    | { kind: 'answer'; revision?: LegacyRevision | undefined }
    | { kind: 'call' }
    | { kind: 'resume'; lastEventId: string }
  )

/** The body of a call; what a client chose is here, since a header holds little and no Unicode. */
export type CallBody = {
  id: RequestId
  progressToken: string | number | undefined
  prepared: PreparedCall
}

/** The status of a packet that was made for another revision than the session's, or too old a catalog. */
export const STALE_STATUS = 409
export type Stale = { revision: LegacyRevision; catalogRevision: number }
