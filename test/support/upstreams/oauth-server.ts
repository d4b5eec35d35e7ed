/**
 * An authorization server with the API and the MCP server that it guards, on loopback: as it should be,
 * and with what can be wrong about it. Whoever is `user` says yes at once.
 */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { mcpAnswer } from './oauth-mcp.ts'

type Json = Readonly<Record<string, unknown>>

/** How it behaves now; a test changes it as it goes. */
export type Behaviour = {
  /** Who is signed in at it. */
  user: string
  expiresInSeconds: number | undefined
  /** Whether refresh tokens are given at all. */
  refreshes: boolean
  /** How a refresh is answered. */
  refresh: 'good' | 'invalid_grant' | 'down'
  /** What a refresh waits for before it is answered. */
  refreshGate: Promise<void> | undefined
  /** What else its metadata says. */
  metadata: Json
  /** What it names itself as with a code; null: nothing. */
  iss: string | null
  /** Says no to the person's yes. */
  denies: boolean
  /** A code it gives in place of a new one. */
  code: string | undefined
  /** Claims of ID tokens. */
  claims: Json
}

export type OAuthServer = {
  url: string
  now: Behaviour
  /** The forms that the token endpoint was sent, and those that it refused. */
  asked: Readonly<Record<string, string>>[]
  refused: string[]
  registered: Json[]
  /** The codes it gave. */
  codes: string[]
  /** Ends every token that it gave. */
  revoke(): void
  close(): Promise<void>
}

type Code = { user: string; client: string; redirect: string; challenge: string; nonce?: string }

export const CLIENT = { id: 'rollcall-client', secret: 'client-secret-of-rollcall' }

/** Starts one. */
export async function startOAuthServer(): Promise<OAuthServer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }
  const codes = new Map<string, Code>()
  const tokens = new Map<string, string>() // to whose it is
  const refreshers = new Map<string, { user: string; client: string }>()
  const clients = new Set([CLIENT.id])
  const asked: Record<string, string>[] = []
  const refused: string[] = []
  const registered: Json[] = []
  const given: string[] = []
  let count = 0
  const now: Behaviour = {
    user: 'ann',
    expiresInSeconds: 3600,
    refreshes: true,
    refresh: 'good',
    refreshGate: undefined,
    metadata: {},
    iss: '',
    denies: false,
    code: undefined,
    claims: {},
  }

  const metadata = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    registration_endpoint: `${url}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...now.metadata,
  })

  /** Whether a client is one of ours, or one whose document has the redirect URI. */
  const knows = async (client: string, redirect: string): Promise<boolean> => {
    if (clients.has(client)) return true
    if (!client.startsWith('http')) return false
    const document: any = await (await fetch(client)).json() // oxlint-disable-line typescript/no-explicit-any -- whatever came
    return document.client_id === client && document.redirect_uris.includes(redirect)
  }

  const authorize = async (query: URLSearchParams, response: ServerResponse) => {
    const [client = '', redirect = ''] = [query.get('client_id'), query.get('redirect_uri')].map(
      (value) => value ?? '',
    )
    const isFit = query.get('code_challenge_method') === 'S256' && query.get('state') !== null
    if (!isFit || !(await knows(client, redirect))) return send(response, 400, { error: 'unfit' })
    const back = new URL(redirect)
    back.searchParams.set('state', query.get('state') ?? '')
    if (now.iss !== null) back.searchParams.set('iss', now.iss === '' ? url : now.iss)
    if (now.denies) back.searchParams.set('error', 'access_denied')
    else {
      const code = now.code ?? `code-${++count}`
      const nonce = query.get('nonce')
      const challenge = query.get('code_challenge') ?? ''
      if (now.code === undefined) {
        codes.set(code, { user: now.user, client, redirect, challenge, ...(nonce && { nonce }) })
        given.push(code)
      }
      back.searchParams.set('code', code)
    }
    return response.writeHead(302, { location: back.href }).end()
  }

  const grant = async (user: string, client: string, nonce?: string) => {
    const token = `token-${++count}`
    tokens.set(token, user)
    const refresh = `refresh-${count}`
    if (now.refreshes) refreshers.set(refresh, { user, client })
    const claims = { iss: url, sub: user, aud: client, nonce, ...now.claims }
    const idToken = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k' })
    return {
      access_token: token,
      token_type: 'bearer',
      ...(now.expiresInSeconds !== undefined && { expires_in: now.expiresInSeconds }),
      ...(now.refreshes && { refresh_token: refresh }),
      ...(nonce && { id_token: await idToken.setExpirationTime('5m').sign(privateKey) }),
    }
  }

  const token = async (request: IncomingMessage, response: ServerResponse, text: string) => {
    const form = Object.fromEntries(new URLSearchParams(text))
    asked.push(form)
    const refuse = (error: string, status = 400) => {
      refused.push(error)
      return send(response, status, { error })
    }
    const basic = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64').toString()
    const client = form['client_id'] ?? basic.split(':')[0] ?? ''
    const secret = form['client_secret'] ?? basic.split(':')[1]
    if (client === CLIENT.id && secret !== CLIENT.secret) return refuse('invalid_client', 401)
    if (form['grant_type'] === 'refresh_token') {
      await now.refreshGate
      if (now.refresh === 'down') return send(response, 503, {})
      const known = refreshers.get(form['refresh_token'] ?? '')
      // Good once: whoever comes with it again has stolen it.
      refreshers.delete(form['refresh_token'] ?? '')
      const isGood = now.refresh === 'good' && known?.client === client
      if (!known || !isGood) return refuse('invalid_grant')
      return send(response, 200, await grant(known.user, client))
    }
    const code = codes.get(form['code'] ?? '')
    codes.delete(form['code'] ?? '')
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    const isGood =
      code?.challenge === challenge &&
      code.client === client &&
      code.redirect === form['redirect_uri']
    if (!code || !isGood) return refuse('invalid_grant')
    return send(response, 200, await grant(code.user, client, code.nonce))
  }

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      send(response, 500, { error: String(error) })
    })
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    const text = await textOf(request)
    const user = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    if (pathname === '/.well-known/oauth-authorization-server') {
      return send(response, 200, metadata())
    }
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      return send(response, 200, { resource: `${url}/mcp`, authorization_servers: [url] })
    }
    if (pathname === '/keys') return send(response, 200, { keys: [jwk] })
    if (pathname === '/authorize') return authorize(searchParams, response)
    if (pathname === '/token') return token(request, response, text)
    if (pathname === '/register') {
      const client = `registered-${++count}`
      clients.add(client)
      registered.push(JSON.parse(text))
      return send(response, 201, { client_id: client, token_endpoint_auth_method: 'none' })
    }
    if (pathname === '/form') {
      return send(response, 200, { key: String(request.headers['x-api-key']).split('').join(' ') })
    }
    if (user === undefined) {
      response.setHeader(
        'www-authenticate',
        `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
      )
      return send(response, 401, { error: 'invalid_token' })
    }
    if (pathname === '/mcp') return mcpAnswer(response, text, user)
    return send(response, 200, { user })
  }
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    now,
    asked,
    refused,
    registered,
    codes: given,
    revoke: () => tokens.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
