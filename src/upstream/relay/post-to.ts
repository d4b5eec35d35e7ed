/** The seam by which a remote server is reached: the outbound function, with what authorizes us there. */
import { CallFailed } from '../http/call.ts'
import { tokenFor } from '../http/token.ts'
import { authorize, withQuery } from '../authorize.ts'
import { UpstreamFault } from '../mcp/fault.ts'
import type { Post, PostRequest } from '../mcp/post.ts'
import { MissingSecret, OpenedSecrets } from '../opened-secrets.ts'
import { OutboundRefused } from '../outbound.ts'
import type { World } from '../world.ts'
import type { Target } from './target.ts'

/** What is a secret of ours and the remote server's, whatever the operator says. */
const SESSION_HEADER = 'mcp-session-id'

/** How a remote server is reached, and what of that nothing that comes back may hold. */
export type Reach = { post: Post; secrets: OpenedSecrets }

/** The way to a remote server. */
export async function reach(
  world: Pick<World, 'outbound' | 'open'>,
  target: Target,
): Promise<Reach> {
  const { organization, sealed, account } = target
  const secrets = new OpenedSecrets(await world.open(organization, sealed, account))
  return { post: postTo(world, target, secrets), secrets }
}

/** What was thrown on the way, without the secrets of it: a remote server may repeat what it is sent. */
export function withoutSecrets(error: unknown, secrets: OpenedSecrets): unknown {
  if (!(error instanceof UpstreamFault)) return error
  return error.saying(secrets.redactError(error.message), secrets.redactDeep(error.data))
}

/** Sends requests to a remote server; what may not be sent is an UpstreamFault that says why. */
function postTo(
  { outbound }: Pick<World, 'outbound'>,
  { organization, remote, hops }: Target,
  secrets: OpenedSecrets,
): Post {
  const { auth } = remote
  const never = new AbortController().signal
  const send = (request: PostRequest, token: string | undefined) => {
    const { method, body, signal = never, url = secrets.reveal(remote.url) } = request
    const headers = new Map(new Headers(request.headers))
    const placed = { headers, query: [] }
    const credentials = authorize(placed, remote, secrets)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return outbound({
      url: withQuery(url, placed.query),
      method,
      headers,
      body,
      signal,
      hops,
      credentials: { ...credentials, headers: [...credentials.headers, SESSION_HEADER] },
    })
  }
  const tokenOf = async ({ signal = never }: PostRequest, refused?: string) =>
    auth?.type === 'oauth2'
      ? tokenFor({ organization, auth, secrets, outbound, signal, hops, refused })
      : undefined
  return async (request) => {
    try {
      const token = await tokenOf(request)
      const response = await send(request, token)
      if (response.status !== 401 || token === undefined) return response
      await response.body?.cancel()
      return await send(request, await tokenOf(request, token))
    } catch (error) {
      throw isTold(error) ? new UpstreamFault('unreachable', error.message) : error
    }
  }
}

/** Whether the message of an error was written for who calls. */
function isTold(error: unknown): error is Error {
  return (
    error instanceof CallFailed ||
    error instanceof OutboundRefused ||
    error instanceof MissingSecret
  )
}
