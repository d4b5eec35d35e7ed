/** The seam by which a remote server is reached: the outbound function, with what authorizes us there. */
import { isTold, NoToken } from '../http/call.ts'
import { isByToken, tokenFor } from '../http/token.ts'
import { authorize, withQuery } from '../authorize.ts'
import { UpstreamFault } from '../mcp/fault.ts'
import { endpointOf, type Post, type PostRequest } from '../mcp/post.ts'
import { OpenedSecrets } from '../opened-secrets.ts'
import type { World } from '../world.ts'
import { hideUrl, withoutHost } from './secret-url.ts'
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
  const { organization, sealed, account, remote } = target
  const opened = await world.open(organization, sealed, account)
  const secrets = new OpenedSecrets(opened)
  // Lists may repeat what calls are sent.
  for (const value of Object.values(remote.meta ?? {})) {
    if (typeof value === 'object') secrets.hide(opened.get(value.secret) ?? '')
  }
  return { post: postTo(world, target, secrets), secrets }
}

/** What was thrown on the way, without the secrets of it: a remote server may repeat what it is sent. */
export function withoutSecrets(error: unknown, secrets: OpenedSecrets): unknown {
  if (!(error instanceof UpstreamFault)) return error
  return error.saying(secrets.redactError(error.message), secrets.redactDeep(error.data))
}

/** What went wrong before a request was made, as the fault that it is; anything else as it is. */
export function asFault(error: unknown): unknown {
  if (!isTold(error)) return error
  return new UpstreamFault(error instanceof NoToken ? 'no_token' : 'unreachable', error.message)
}

/** Sends requests to a remote server; what may not be sent is an UpstreamFault that says why. */
function postTo(
  { outbound }: Pick<World, 'outbound'>,
  { organization, remote, hops }: Target,
  secrets: OpenedSecrets,
): Post {
  const { auth, compression = true } = remote
  const isSecret = typeof remote.url !== 'string'
  const never = new AbortController().signal
  const send = (request: PostRequest, token: string | undefined) => {
    const { method, body, signal = never, endpoint } = request
    const url = secrets.reveal(remote.url)
    if (isSecret) hideUrl(secrets, url)
    const headers = new Map(new Headers(request.headers))
    if (!compression) headers.set('accept-encoding', 'identity')
    const placed = { headers, query: [] }
    const credentials = authorize(placed, remote, secrets)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return outbound({
      url: withQuery(endpoint === undefined ? url : endpointOf(endpoint, url), placed.query),
      method,
      headers,
      body,
      signal,
      hops,
      credentials: { ...credentials, headers: [...credentials.headers, SESSION_HEADER] },
    })
  }
  const tokenOf = async ({ signal = never }: PostRequest, refused?: string) =>
    isByToken(auth)
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
      const fault = asFault(error)
      if (!isSecret || !(fault instanceof UpstreamFault)) throw fault
      throw fault.saying(withoutHost(fault.message, secrets.reveal(remote.url)), fault.data)
    }
  }
}
