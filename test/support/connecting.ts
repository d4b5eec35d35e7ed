/** An organization with connect links, a connector before an OAuth server, and who connects. */
import assert from 'node:assert/strict'
import { createOrganization, createServer, inOrganization } from './admin.ts'
import type { Person } from './acme.ts'
import { untilTold } from './gateway.ts'
import { callTool } from './gateway-client.ts'
import type { Rollcall } from './rollcall.ts'
import { serverFile, tool } from './servers.ts'
import { CLIENT, type OAuthServer } from './upstreams/oauth-server.ts'

export type Connecting = {
  organization: string
  /** Asks the admin API in it. */
  ask: (method: string, path: string, body?: object) => ReturnType<Rollcall['admin']>
  /** Makes a member with a key. */
  member(members?: object): Promise<Person>
  /** Makes a link. */
  link(body: object): Promise<{ id: string; url: string; expiresAt: string }>
  /** The state of one. */
  stateOf(id: string): Promise<any> // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
}

/** Makes one. */
export async function startConnecting(
  rollcall: Rollcall,
  name: string,
  features: object = { connectLinks: true },
): Promise<Connecting> {
  const { id: organization } = await createOrganization(rollcall, name)
  const headers = inOrganization(organization)
  const ask: Connecting['ask'] = (method, path, body) => rollcall.admin(method, path, body, headers)
  const made = async (path: string, body: object) => {
    const answer = await ask('POST', path, body)
    assert.equal(answer.status, 201, answer.text)
    return answer.json
  }
  assert.equal((await ask('PATCH', '/settings', { features })).status, 200)
  return {
    organization,
    ask,
    async member(members = {}) {
      const { id } = await made('/members', { name: 'Ann', ...members })
      const key = await made('/keys', { name: 'A key', kind: 'member', principal: id })
      return { id, key: key.secret, keyId: key.id }
    },
    link: (body) => made('/accounts/connect', body),
    stateOf: async (id) => (await ask('GET', `/accounts/connect/${id}`)).json,
  }
}

/** Makes a connector of HTTP tools, whose tokens are had at an OAuth server. */
export async function makeConnector(
  rollcall: Rollcall,
  { organization, ask }: Connecting,
  provider: OAuthServer,
  { capability = 'notes', connect = {} }: { capability?: string; connect?: object } = {},
): Promise<string> {
  await ask('PUT', '/secrets/client', { value: CLIENT.secret })
  const whoami = tool('whoami', {
    handler: {
      kind: 'http',
      method: 'GET',
      url: `${provider.url}/api`,
      auth: { type: 'bearer', token: { account: 'token' } },
    },
  })
  const file = serverFile('Notes', [whoami], {
    slug: capability,
    gateway: capability,
    account: 'required',
    auth: 'key',
    connect: {
      type: 'oauth',
      authorizationUrl: `${provider.url}/authorize`,
      tokenUrl: `${provider.url}/token`,
      issuer: provider.url,
      clientId: CLIENT.id,
      clientSecret: { secret: 'client' },
      scopes: ['notes:read'],
      ...connect,
    },
  })
  const { id } = await createServer(rollcall, file, inOrganization(organization))
  await untilTold(rollcall, organization)
  return id
}

/** Whom the provider takes a member for, by its tool; or the code of the refusal. */
export async function whoCalls(
  rollcall: Rollcall,
  { key }: Person,
  args: object = {},
): Promise<string> {
  const { result, error } = await callTool(rollcall, key, 'notes__whoami', args)
  if (error) return error.message
  if (result.isError) return result.structuredContent?.error.code ?? result.content[0].text
  return JSON.parse(result.content[0].text).user
}
