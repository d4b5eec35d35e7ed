/** Five deployments side by side: what is of one is in each other what was made up. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { keyKindOf, mintKey } from '../../src/callers/secret.ts'
import { createKey, createServer, untilPublished } from '../support/admin.ts'
import { convaiOf, memberKey } from '../support/convai.ts'
import { LIST } from '../support/messages.ts'
import { startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'
import { sessionOf } from '../support/principals.ts'
import { serverFile, tool } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'
import { startFar, type Far } from '../support/upstreams/far.ts'

const REGIONS = ['global', 'us', 'eu', 'in', 'sg'] as const
const FAR_TOOL = { name: 'far', description: 'Far', inputSchema: { type: 'object' } }
const APPROVAL = {
  tool_name: FAR_TOOL.name,
  tool_description: FAR_TOOL.description,
  input_schema: FAR_TOOL.inputSchema,
}

type Region = Awaited<ReturnType<typeof startRegion>>

let far: Far
let regions: Region[] = []

before(async () => {
  far = await startFar([FAR_TOOL])
  regions = await Promise.all(REGIONS.map(startRegion))
})
after(async () => {
  await Promise.all(regions.map(({ rollcall }) => rollcall.close()))
  await far.close()
})

/** A deployment with the same things as the others; even its secrets are theirs. */
async function startRegion(env: string) {
  const vars = { JURISDICTION: '', ALLOW_PRIVATE_UPSTREAMS: '1', RESIDENCY: 'strict' }
  const rollcall = await startRollcall({ env, vars })
  const open = await createServer(rollcall, serverFile('Open', [tool('a')], { slug: 'open' }))
  const file = serverFile('Keyed', [tool('a')], { slug: 'keyed', auth: 'key' })
  const keyed = await createServer(rollcall, file)
  const key: string = (await createKey(rollcall, keyed.id)).secret
  const member = await memberKey(rollcall)
  const config = {
    url: `${far.url}/mcp`,
    name: 'Far',
    approval_policy: 'require_approval_per_tool',
  }
  const convai = convaiOf(rollcall, member.secret)
  const configured = await convai.ask('POST', '/v1/convai/mcp-servers', { config })
  assert.equal(configured.status, 200, configured.text)
  const configuration: string = configured.json.id
  const approvals = `/v1/convai/mcp-servers/${configuration}/tool-approvals`
  const approved = await convai.ask('POST', approvals, APPROVAL)
  assert.equal(approved.status, 200, approved.text)
  await untilPublished(rollcall, open.id)
  return {
    env,
    rollcall,
    open: open.id as string,
    keyed: keyed.id as string,
    key,
    member: member.secret,
    session: (await openSession(rollcall, open.endpoint)).id,
    token: await sessionOf(rollcall, { id: member.principal }),
    configuration,
    link: await connectLink(rollcall),
  }
}

/** A link by which somebody connects an account, without its origin. */
async function connectLink(rollcall: Rollcall): Promise<string> {
  const file = serverFile('Form', [tool('a')], {
    auth: 'key',
    account: 'required',
    connect: { type: 'form', fields: [{ name: 'token', label: 'Token' }] },
  })
  const { id } = await createServer(rollcall, file)
  await rollcall.admin('PATCH', '/settings', { features: { connectLinks: true } })
  const { status, text, json } = await rollcall.admin('POST', '/accounts/connect', { server: id })
  assert.equal(status, 201, text)
  return new URL(json.url).searchParams.get('link') ?? ''
}

const send = (
  { rollcall }: Region,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
) =>
  rollcall.send(path, {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const configurationPath = (id: string) => `/v1/convai/mcp-servers/${id}`
const asMember = (here: Region) => ({ 'xi-api-key': here.member })
const asSession = (id: string) => ({
  'mcp-session-id': id,
  'mcp-protocol-version': '2025-11-25',
})

/** One of the same form, that nobody has. */
const madeUp = {
  hex: (like: string) => randomBytes(like.length / 2).toString('hex'),
  configuration: (like: string) => like.replace(/[^_]+$/, (id) => madeUp.hex(id)),
  key: (like: string) => mintKey(keyKindOf(like) ?? 'member'),
  token: (like: string) => like.replace(/[^.]+$/, (signature) => signature.toUpperCase()),
}

type Kind = {
  what: string
  status: number
  /** What is looked for in another region. */
  of: (there: Region) => string
  madeUp: (like: string) => string
  ways: Record<string, (here: Region, thing: string) => Promise<Answer>>
}

const KINDS: Kind[] = [
  {
    what: 'a server',
    status: 404,
    of: ({ open }) => open,
    madeUp: madeUp.hex,
    ways: {
      list: (here, id) => send(here, 'POST', `/mcp/open/${id}`, {}, LIST),
      read: (here, id) => here.rollcall.admin('GET', `/servers/${id}`),
      delete: (here, id) => here.rollcall.admin('DELETE', `/servers/${id}`),
    },
  },
  {
    what: 'the key of a server',
    status: 401,
    of: ({ key }) => key,
    madeUp: madeUp.key,
    ways: {
      list: (here, key) => send(here, 'POST', `/mcp/keyed/${here.keyed}`, bearer(key), LIST),
    },
  },
  {
    what: 'the key of a member',
    status: 401,
    of: ({ member }) => member,
    madeUp: madeUp.key,
    ways: {
      gateway: (here, key) =>
        send(
          here,
          'POST',
          '/mcp',
          { ...bearer(key), accept: 'application/json, text/event-stream' },
          LIST,
        ),
      convai: (here, key) => send(here, 'GET', '/v1/convai/mcp-servers', { 'xi-api-key': key }),
      admin: (here, key) => send(here, 'GET', '/api/v1/servers', bearer(key)),
    },
  },
  {
    what: 'the session of a member',
    status: 401,
    of: ({ token }) => token,
    madeUp: madeUp.token,
    ways: { admin: (here, token) => send(here, 'GET', '/api/v1/servers', bearer(token)) },
  },
  {
    what: 'the session of a client',
    status: 404,
    of: ({ session }) => session,
    madeUp: madeUp.hex,
    ways: {
      list: (here, id) => send(here, 'POST', `/mcp/open/${here.open}`, asSession(id), LIST),
      listen: (here, id) =>
        send(here, 'GET', `/mcp/open/${here.open}`, {
          ...asSession(id),
          accept: 'text/event-stream',
        }),
      delete: (here, id) => send(here, 'DELETE', `/mcp/open/${here.open}`, asSession(id)),
      admin: (here, id) => here.rollcall.admin('DELETE', `/sessions/${id}`),
    },
  },
  {
    what: 'a configuration',
    status: 404,
    of: ({ configuration }) => configuration,
    madeUp: madeUp.configuration,
    ways: {
      read: (here, id) => send(here, 'GET', configurationPath(id), asMember(here)),
      tools: (here, id) => send(here, 'GET', `${configurationPath(id)}/tools`, asMember(here)),
    },
  },
  {
    what: 'a link to connect',
    status: 404,
    of: ({ link }) => link,
    madeUp: (like) => like.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
    ways: { open: (here, link) => send(here, 'GET', `/connect?link=${link}`, {}) },
  },
  {
    what: 'an approval',
    status: 404,
    of: ({ configuration }) => configuration,
    madeUp: madeUp.configuration,
    ways: {
      approve: (here, id) =>
        send(here, 'POST', `${configurationPath(id)}/tool-approvals`, asMember(here), APPROVAL),
      withdraw: (here, id) =>
        send(here, 'DELETE', `${configurationPath(id)}/tool-approvals/far`, asMember(here)),
    },
  },
]

/** All that a client is told, but for when, and for the ids of what it asked for and of the request. */
function told({ status, headers, text }: Answer, thing: string) {
  const request = headers.get('x-request-id') ?? '-'
  const nonce = /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? '-'
  const kept = [...headers]
    .filter(([name]) => name !== 'date' && name !== 'x-request-id')
    .map(([name, value]) => [name, value.replaceAll(`'nonce-${nonce}'`, "'nonce'")])
  const body = text
    .replaceAll(thing, '<it>')
    .replace(`"${request}"`, '"<request>"')
    .replaceAll(`"${nonce}"`, '"<nonce>"')
  return { status, headers: kept, body }
}

describe('in each of five deployments', () => {
  for (const { what, status, of, madeUp: make, ways } of KINDS) {
    it(`${what} of another is answered ${status}, as one that was made up`, async () => {
      for (const here of regions) {
        for (const there of regions.filter((one) => one !== here)) {
          const thing = of(there)
          const another = make(thing)
          for (const [way, ask] of Object.entries(ways)) {
            const name = `${way} of ${there.env} in ${here.env}`
            const answer = told(await ask(here, thing), thing)
            assert.equal(answer.status, status, `${name}: ${answer.body}`)
            assert.deepEqual(answer, told(await ask(here, another), another), name)
          }
        }
      }
    })
  }

  it('what was asked for elsewhere is there still', async () => {
    for (const here of regions) {
      assert.equal(
        (await send(here, 'POST', `/mcp/open/${here.open}`, asSession(here.session), LIST)).status,
        200,
      )
      assert.equal(
        (await send(here, 'POST', `/mcp/keyed/${here.keyed}`, bearer(here.key), LIST)).status,
        200,
      )
      assert.equal((await send(here, 'GET', '/api/v1/servers', bearer(here.token))).status, 200)
      const { json } = await send(
        here,
        'GET',
        `${configurationPath(here.configuration)}/tools`,
        asMember(here),
      )
      assert.equal(json.tool_approval_statuses[0].state, 'up_to_date')
    }
  })

  it('no two have one id or key in common', () => {
    const things = regions.flatMap((region) => KINDS.map(({ of }) => of(region)))
    assert.equal(new Set(things).size, REGIONS.length * (KINDS.length - 1)) // an approval is of a configuration
  })
})
