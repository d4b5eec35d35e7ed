/**
 * OAuth 2 client credentials: the token endpoint and what it guards, for the HTTP API of the tests.
 *
 * A client is known by Basic or by `client_id` and `client_secret` in the form body; one token at a
 * time is good, and `revoke()` makes it bad at once, as an expiry that came early.
 */
import type { ServerResponse } from 'node:http'
import { sendJson, type SeenRequest } from './recording.ts'

export type OAuthOptions = {
  clientId?: string
  clientSecret?: string
  /** What tokens say of their life; absent means they say nothing. */
  expiresInSeconds?: number | undefined
}

export type OAuth = {
  /** How many tokens were given. */
  issued(): number
  /** The token that is good now. */
  current(): string | undefined
  /** Makes the token bad; the next one is another. */
  revoke(): void
  /** How each client that got a token showed who it is. */
  clientAuth: ('basic' | 'body')[]
  token(seen: SeenRequest, response: ServerResponse): void
  guarded(seen: SeenRequest, response: ServerResponse): void
}

/** A fresh one that has given no token. */
export function createOAuth(options: OAuthOptions): OAuth {
  const { clientId = 'client', clientSecret = 'client-secret' } = options
  const expiry = 'expiresInSeconds' in options ? options.expiresInSeconds : 3600
  const clientAuth: ('basic' | 'body')[] = []
  let current: string | undefined
  return {
    issued: () => clientAuth.length,
    current: () => current,
    revoke() {
      current = undefined
    },
    clientAuth,
    token(seen, response) {
      const form = new URLSearchParams(seen.text)
      const client = clientOf(seen, form)
      if (form.get('grant_type') !== 'client_credentials') {
        return sendJson(response, { error: 'unsupported_grant_type' }, 400)
      }
      if (client.id !== clientId || client.secret !== clientSecret) {
        return sendJson(response, { error: 'invalid_client' }, 401)
      }
      clientAuth.push(client.how)
      current = `token-${clientAuth.length}`
      const scope = form.get('scope') ?? undefined
      return sendJson(
        response,
        { access_token: current, token_type: 'Bearer', expires_in: expiry, scope },
        200,
        { 'cache-control': 'no-store' },
      )
    },
    guarded(seen, response) {
      if (current === undefined || seen.headers.authorization !== `Bearer ${current}`) {
        return sendJson(response, { error: 'invalid_token' }, 401, { 'www-authenticate': 'Bearer' })
      }
      return sendJson(response, { token: current })
    },
  }
}

function clientOf(seen: SeenRequest, form: URLSearchParams) {
  const [, basic] = /^Basic (.+)$/i.exec(seen.headers.authorization ?? '') ?? []
  if (basic === undefined) {
    return { how: 'body' as const, id: form.get('client_id'), secret: form.get('client_secret') }
  }
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(':')
  return { how: 'basic' as const, id: decodeURIComponent(id), secret: decodeURIComponent(secret) }
}
