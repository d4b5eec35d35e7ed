/**
 * What the Worker asks a Session by `fetch`: a packet in a header, and as body a call, or an answer in
 * the form it goes out in, which then passes through without being read again.
 */
import type { Prepared } from '../../methods/prepared.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import type { LegacyRevision } from '../../protocol/revisions.ts'
import type { Claim, SessionRecord } from './record.ts'

export const PACKET_HEADER = 'rollcall-packet'

export type Packet = Claim & {
  /** Whether the client takes an event stream. */
  stream: boolean
} & (
    | { kind: 'answer'; revision?: LegacyRevision | undefined }
    | { kind: 'call'; revision: LegacyRevision }
    | { kind: 'resume'; lastEventId: string }
  )

/** The body of a call; what a client chose is here, since a header holds little and no Unicode. */
export type CallBody = {
  id: RequestId
  progressToken: string | number | undefined
  prepared: Prepared
}

/** The status of a packet that was made for another revision than the session's, or too old a catalog. */
export const STALE_STATUS = 409
export type Stale = { revision: LegacyRevision; catalogRevision: number }

/** Whether a packet was made for another revision than the session's, or from too old a catalog. */
export function isStale(record: SessionRecord, packet: Packet): boolean {
  if ((packet.catalogRevision ?? Infinity) < record.catalogRevision) return true
  const revision = packet.kind === 'resume' ? undefined : packet.revision
  return revision !== undefined && revision !== record.revision
}
