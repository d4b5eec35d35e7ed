/** An OAuth issuer on loopback: its metadata, its keys, and the tokens it gives, good ones and forged. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWK } from 'jose'

export const HOUR_SECONDS = 3600

type Pair = { kid: string; alg: string; privateKey: CryptoKey; publicKey: CryptoKey; jwk: JWK }

export type Issuer = {
  /** The issuer's name, which is its URL. */
  url: string
  /** Paths that were asked for. */
  asked: string[]
  /** The headers of what was asked for last. */
  headers(): IncomingHttpHeaders
  /** A token of these claims; `null` takes one of the usual claims away. */
  token(claims?: Readonly<Record<string, unknown>>, header?: object): Promise<string>
  /** The same, signed with the text of the public key as a shared secret. */
  confused(claims: Readonly<Record<string, unknown>>): Promise<string>
  /** The same, signed by nobody. */
  unsigned(claims: Readonly<Record<string, unknown>>): string
  /** Gives the issuer another key in place of the one it had. */
  rotate(): Promise<void>
  /** Whether it answers at all. */
  setDown(isDown: boolean): void
  close(): Promise<void>
}

/** Starts one; its path is part of its name. */
export async function startIssuer(path = '/tenant', alg = 'ES256'): Promise<Issuer> {
  let count = 0
  const make = async (): Promise<Pair> => {
    const pair = await generateKeyPair(alg, { extractable: true })
    const kid = `key-${++count}`
    return {
      ...pair,
      kid,
      alg,
      jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' },
    }
  }
  let pair = await make()
  let isDown = false
  const asked: string[] = []
  let headers: IncomingHttpHeaders = {}
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    headers = request.headers
    const document = isDown ? undefined : documents().get(request.url ?? '')
    response.statusCode = document === undefined ? 404 : 200
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(document ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = origin + path
  const documents = () =>
    new Map<string, unknown>([
      [`${path}/.well-known/openid-configuration`, { issuer: url, jwks_uri: `${origin}/keys` }],
      ['/keys', { keys: [pair.jwk] }],
    ])
  const payloadOf = (claims: Readonly<Record<string, unknown>>) => {
    const now = Math.floor(Date.now() / 1000)
    const usual = { iss: url, sub: 'user-1', iat: now, exp: now + HOUR_SECONDS }
    const entries = Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== null)
    return Object.fromEntries(entries)
  }
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return {
    url,
    asked,
    headers: () => headers,
    token: (claims = {}, header = {}) =>
      new SignJWT(payloadOf(claims))
        .setProtectedHeader({ alg, kid: pair.kid, ...header })
        .sign(pair.privateKey),
    async confused(claims) {
      const secret = new TextEncoder().encode(await exportSPKI(pair.publicKey))
      return new SignJWT(payloadOf(claims))
        .setProtectedHeader({ alg: 'HS256', kid: pair.kid })
        .sign(secret)
    },
    unsigned: (claims) => `${base64({ alg: 'none' })}.${base64(payloadOf(claims))}.`,
    async rotate() {
      pair = await make()
    },
    setDown(down) {
      isDown = down
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
