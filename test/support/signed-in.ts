/** A Rollcall that trusts an issuer, its servers with auth oauth, and the members its tokens name. */
import assert from 'node:assert/strict'
import { createServer } from './admin.ts'
import type { Issuer } from './issuer.ts'
import { startRollcall, type Rollcall } from './rollcall.ts'
import { serverFile, tool } from './servers.ts'

export const PUBLIC_URL = 'https://mcp.example.com'

/** Starts one. */
export function startSignedIn(issuer: Issuer): Promise<Rollcall> {
  return startRollcall({
    vars: {
      PUBLIC_URL,
      ALLOW_PRIVATE_UPSTREAMS: '1',
      OAUTH_ISSUERS: JSON.stringify([{ issuer: issuer.url }]),
    },
  })
}

/** Makes a server that people sign in to, and gives its path. */
export async function serveSigned(rollcall: Rollcall, name: string, members: object = {}) {
  const file = serverFile(name, [tool('a')], { auth: 'oauth', ...members })
  const { id, slug } = await createServer(rollcall, file)
  return `/mcp/${slug}/${id}`
}

/** Makes the member that a subject of the issuer is, and gives its id. */
export async function joinAs(
  rollcall: Rollcall,
  issuer: Issuer,
  subject: string,
  headers = {},
): Promise<string> {
  const body = { name: subject, externalId: { issuer: issuer.url, subject } }
  const made = await rollcall.admin('POST', '/members', body, headers)
  assert.equal(made.status, 201, made.text)
  return made.json.id
}

/** A token for the endpoint at a path. */
export const tokenFor = (issuer: Issuer, at: string, claims: object = {}) =>
  issuer.token({ aud: PUBLIC_URL + at, ...claims })

/** The header that a token is sent in. */
export const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
