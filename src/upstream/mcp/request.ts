/** A request to a remote server we have met, whatever its era: one HTTP request where it is known. */
import type { Connection } from './connection.ts'
import { exchange, type Hooks } from './exchange.ts'
import { UpstreamFault } from './fault.ts'
import type { OutgoingRequest } from './outgoing.ts'
import type { Post } from './post.ts'
import { exchangeOverSse } from './sse-transport.ts'

/** Sends a request and gives its result untouched, unknown members too; throws an UpstreamFault. */
export async function sendRequest(
  post: Post,
  connection: Connection,
  request: OutgoingRequest,
  hooks: Hooks = {},
): Promise<Record<string, unknown>> {
  if (connection.era === 'sse') return exchangeOverSse(post, request, hooks)
  const { result } = await exchange(post, connection, request, hooks)
  if (connection.era === 'modern') requireResultType(result)
  return result
}

/** Absent, a result of an earlier server is complete; an unknown type is no answer to us (§4.4). */
function requireResultType({ resultType }: Record<string, unknown>): void {
  if (resultType === undefined || resultType === 'complete' || resultType === 'input_required') {
    return
  }
  throw new UpstreamFault('malformed', 'The remote server answered with a result of unknown type')
}
