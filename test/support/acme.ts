/**
 * An organization as the gateway shows it, made over the admin API: connectors `notion` and `twitter`
 * before a small API that tells which credential came, the built-in `memory`, members, an agent, keys.
 */
import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOrganization, createServer, inOrganization } from './admin.ts'
import type { Answer, Rollcall } from './rollcall.ts'
import { serverFile, tool } from './servers.ts'

export const BOTH = 'application/json, text/event-stream'

export type Acme = {
  organization: string
  /** Asks the admin API in it, and gives the body of a success. */
  admin(method: string, path: string, body?: object): Promise<any> // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
  /** Ids of servers. */
  servers: Record<'memory' | 'notion' | 'twitter', string>
  /** Makes a member or an agent with a key of its own. */
  person(kind: 'member' | 'agent', members?: object): Promise<Person>
  /** Stores an account, granted as said. */
  account(
    server: 'notion' | 'twitter',
    alias: string,
    members?: { owner?: string; to?: object | 'everybody'; tools?: string[]; state?: string },
  ): Promise<string>
}

export type Person = { id: string; key: string; keyId: string }

/** A small API whose answers say who called. */
export async function serveEcho(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createHttpServer((request, response) => {
    const { url, headers } = request
    response.setHeader('content-type', 'application/json')
    // By half, since what comes back is cleared of the credential itself.
    const half = headers.authorization?.replace('Bearer token-of-', '')
    response.end(JSON.stringify({ path: url, account: half }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** A tool of a connector, whose call is made with the account's token. */
export function connectorTool(name: string, url: string, members: object = {}) {
  return tool(name, {
    handler: {
      kind: 'http',
      method: 'GET',
      url: `${url}/${name}`,
      auth: { type: 'bearer', token: { account: 'token' } },
    },
    ...members,
  })
}

/** Makes an organization of its own. */
export async function startAcme(rollcall: Rollcall, echo: string, name = 'acme'): Promise<Acme> {
  const { id: organization } = await createOrganization(rollcall, name)
  const headers = inOrganization(name)
  const admin: Acme['admin'] = async (method, path, body) => {
    const answer = await rollcall.admin(method, path, body, headers)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  const connector = (id: string, names: readonly string[]) =>
    createServer(
      rollcall,
      serverFile(
        id,
        names.map((each) => connectorTool(each, echo)),
        { slug: id, gateway: id, account: 'required', auth: 'key' },
      ),
      headers,
    )
  const memory = await createServer(
    rollcall,
    serverFile('Memory', [tool('search')], { slug: 'memory', gateway: 'memory' }),
    headers,
  )
  const notion = await connector('notion', ['create_page', 'search'])
  const twitter = await connector('twitter', ['post'])
  const servers = { memory: memory.id, notion: notion.id, twitter: twitter.id }
  return {
    organization,
    admin,
    servers,
    async person(kind, members = {}) {
      const role = kind === 'member' ? { role: 'member' } : {}
      const { id } = await admin('POST', `/${kind}s`, { name: `A ${kind}`, ...role, ...members })
      const key = await admin('POST', '/keys', { name: 'A key', kind, principal: id })
      return { id, key: key.secret, keyId: key.id }
    },
    async account(server, alias, { owner, to, tools, state } = {}) {
      const { id } = await admin('POST', '/accounts', {
        server: servers[server],
        alias,
        credential: { token: `token-of-${alias}` },
        ...(owner !== undefined && { owner }),
        ...(state !== undefined && { state }),
      })
      const grant = { account: id, to, ...(tools && { tools }) }
      if (to !== undefined) await admin('POST', '/grants', grant)
      return id
    },
  }
}

/** Sends a message to the gateway, as a client of 2025 would. */
export function askGateway(
  rollcall: Rollcall,
  key: string,
  message: object,
  { path = '/mcp', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return rollcall.post(path, message, { authorization: `Bearer ${key}`, accept: BOTH, ...headers })
}

/** The message of an answer that is one event with one line of data, and nothing else. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
export function onlyEvent({ status, headers, text }: Answer): any {
  assert.equal(status, 200, text)
  assert.equal(headers.get('content-type'), 'text/event-stream')
  const [, data = ''] = /^event: message\ndata: ([^\r\n\u0085\u2028\u2029]*)\n\n$/.exec(text) ?? []
  return JSON.parse(data)
}
