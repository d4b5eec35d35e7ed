/** What a visit to a remote server says of the auth connection it was authorized by. */
import type { UpstreamFault } from '../../upstream/mcp/fault.ts'

export type NotedStatus = { status: 'active' | 'refresh_failed'; detail?: string }

/** The status it has now, after a visit that ended well or with a fault; undefined where it keeps its own. */
export function statusAfter(
  status: string,
  fault: UpstreamFault | undefined,
): NotedStatus | undefined {
  const hasFailed = status === 'refresh_failed'
  if (fault?.kind === 'no_token') {
    return hasFailed ? undefined : { status: 'refresh_failed', detail: fault.message }
  }
  // Whoever answered was shown a token.
  const isHad = fault === undefined || fault.status !== undefined
  return isHad && hasFailed ? { status: 'active' } : undefined
}
