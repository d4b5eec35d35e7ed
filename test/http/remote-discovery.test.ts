/** Live discovery of a remote server's tools, asked of its Upstream over real sockets. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createVariable, discover, discoveredNames, organizationOf } from '../support/discovery.ts'
import { eventually } from '../support/eventually.ts'
import { inObject, upstreamOf } from '../support/objects.ts'
import { sendError, sendResult, startRemote, type Answers } from '../support/remote-mcp.ts'
import { refresh, serverOf, untilServer } from '../support/remote-records.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { startRollcall } from '../support/rollcall.ts'
import { UPSTREAM_KINDS, serveKind } from '../support/upstream-kinds.ts'
import { startLegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import { sendText, startRecording, type Recording } from '../support/upstreams/recording.ts'

let relay: Relay
before(async () => {
  relay = await startRelay()
})
after(() => relay.close())

const open: { close(): Promise<void> }[] = []
const keep = <T extends { close(): Promise<void> }>(one: T): T => {
  open.push(one)
  return one
}
after(() => Promise.all(open.map((one) => one.close())))

const count = ({ requests }: Recording, method: string) =>
  requests.filter(({ body }) => body?.method === method).length
const problemOf = async (...args: Parameters<typeof discover>) => {
  const { problem } = await discover(...args)
  return problem ?? assert.fail('there is no problem')
}
const hostOf = ({ url }: { url: string }) => new URL(url).host

/** The connections that are stored. */
const rowsOf = (id: string) =>
  inObject(relay.rollcall, 'UPSTREAM', upstreamOf(id), 'SELECT * FROM connections')

describe('A discovery', () => {
  for (const [name, kind] of Object.entries(UPSTREAM_KINDS)) {
    it(`finds all tools on all pages as they are now, of ${name}`, async () => {
      const upstream = keep(await kind.start({ pageSize: 3 }))
      const server = await serveKind(relay, kind, upstream)
      await upstream.world.addTool('brand_new')
      const { tools = [], dropped } = await discover(relay.rollcall, server.id)
      const names = tools.map((tool) => tool.name)
      assert.deepEqual(names, [...upstream.world.tools.keys()])
      assert.equal(dropped, 0)
      const { definition } = upstream.world.tools.get('brand_new') ?? assert.fail()
      const { inputSchema } = tools.find((tool) => tool.name === 'brand_new')
      assert.deepEqual(inputSchema.type, 'object')
      assert.equal(definition.name, 'brand_new')
    })
  }

  it('has the lists read anew where the tools are others than were read', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'json' }))
    const { id, toolCount } = await relay.serve(upstream.url)
    await discover(relay.rollcall, id)
    await upstream.world.addTool('more')
    await discover(relay.rollcall, id)
    const server = await untilServer(relay.rollcall, id, (now) => now.toolCount > toolCount)
    assert.equal(server.toolCount, toolCount + 1)
  })

  it('needs no new session while there is a warm one, and opens a lost one once', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const { id } = await relay.serve(upstream.url)
    await discover(relay.rollcall, id)
    await discover(relay.rollcall, id)
    assert.equal(count(upstream, 'initialize'), 1)
    assert.equal(count(upstream, 'server/discover'), 1)
    await upstream.loseSessions()
    assert.ok((await discoveredNames(relay.rollcall, id)).length > 0)
    assert.equal(count(upstream, 'initialize'), 2)
  })

  it('is one for fifty that ask at a time', async () => {
    const held = Promise.withResolvers<void>()
    let isHeld = false
    const { 'tools/list': list = {} } = LEGACY
    const remote = keep(
      await startRemote({
        ...LEGACY,
        async 'tools/list'(seen, response) {
          if (isHeld) await held.promise
          sendResult(seen, response, list)
        },
      }),
    )
    const { id } = await relay.serve(remote.url)
    const earlier = count(remote, 'tools/list')
    isHeld = true
    const fifty = Array.from({ length: 50 }, () => discoveredNames(relay.rollcall, id))
    // What is asked of the same objects later is answered later.
    for (let n = 0; n < 5; n++) await rowsOf(id)
    held.resolve()
    assert.deepEqual(
      await Promise.all(fifty),
      Array.from({ length: 50 }, () => ['a']),
    )
    assert.equal(count(remote, 'initialize'), 1)
    assert.equal(count(remote, 'tools/list') - earlier, 1)
  })

  it('drops tools that are none and counts them', async () => {
    const remote = keep(await startRemote({ ...LEGACY, 'tools/list': { tools: CROOKED } }))
    const { id } = await relay.serve(remote.url)
    const { tools, dropped } = await discover(relay.rollcall, id)
    assert.deepEqual(tools, [CROOKED[0]])
    assert.equal(dropped, 2)
  })
})

const CROOKED = [
  { name: 'a', inputSchema: { type: 'object' }, 'x-unknown': [1] },
  { name: 'no_schema' },
  { inputSchema: { type: 'object' } },
]

const LEGACY: Answers = {
  'server/discover': (seen, response) => sendError(seen, response, { code: -32601, message: '' }),
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'one', version: '1' },
  },
  'tools/list': { tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
}

describe('A discovery in an environment', () => {
  it('asks the server that its variables say, on a connection of its own', async () => {
    const [production, staging] = [
      await startLegacyMcp({ kind: 'sessions' }),
      await startLegacyMcp({ kind: 'sessions' }),
    ]
    keep(production)
    keep(staging)
    await staging.world.addTool('only_in_staging')
    await createVariable(relay.rollcall, 'host', {
      production: hostOf(production),
      staging: hostOf(staging),
    })
    const { id } = await relay.serve('http://{{ system__env_host }}/mcp', {}, { hosted: false })
    for (let round = 0; round < 2; round++) {
      const names = await discoveredNames(relay.rollcall, id)
      const staged = await discoveredNames(relay.rollcall, id, 'staging')
      const elsewhere = await discoveredNames(relay.rollcall, id, 'nowhere')
      assert.ok(!names.includes('only_in_staging') && staged.includes('only_in_staging'))
      assert.deepEqual(elsewhere, names)
    }
    assert.equal(count(production, 'initialize'), 1)
    assert.equal(count(staging, 'initialize'), 1)
    const rows = await rowsOf(id)
    assert.deepEqual(rows.map(({ environment }) => String(environment)).toSorted(), [
      'production',
      'staging',
    ])
    const { toolCount } = await serverOf(relay.rollcall, id)
    assert.equal(toolCount, production.world.tools.size)

    await inObject(
      relay.rollcall,
      'UPSTREAM',
      upstreamOf(id),
      'UPDATE connections SET used_at = 0; UPDATE readings SET due_at = 0',
    )
    await refresh(relay.rollcall, id) // which sets the alarm anew
    await staging.untilRequest(({ method }) => method === 'DELETE')
    await eventually(
      () => rowsOf(id),
      (left) => left.length === 1,
    )
    assert.equal(
      production.requests.some(({ method }) => method === 'DELETE'),
      false,
    )
  })

  it('says which variable is missing; nothing that is known is forgotten then', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const variable = await createVariable(relay.rollcall, 'late', { production: hostOf(upstream) })
    const { id, toolCount } = await relay.serve(
      'http://{{system__env_late}}/mcp',
      {},
      { hosted: false },
    )
    const stub = await organizationOf(relay.rollcall)
    const bad = { production: 'no host at all' }
    assert.ok('value' in (await stub.patchVariable(variable, bad, { actor: 'test' })))
    assert.match(await problemOf(relay.rollcall, id), /The URL is none/)
    assert.equal((await refresh(relay.rollcall, id)).status, 502)
    const down = await serverOf(relay.rollcall, id)
    assert.match(down.upstream.problem, /The URL is none/)
    assert.equal(down.toolCount, toolCount)
    assert.equal((await rowsOf(id)).length, 1)
    const good = { production: hostOf(upstream) }
    assert.ok('value' in (await stub.patchVariable(variable, good, { actor: 'test' })))
    assert.equal((await refresh(relay.rollcall, id)).status, 200)
    assert.equal(count(upstream, 'initialize'), 1)
  })
})

describe('A discovery that fails', () => {
  const serve = async (answer: Parameters<typeof startRecording>[0], remote: object = {}) => {
    const upstream = keep(await startRecording(answer))
    const made = await relay.serve('http://127.0.0.1:9/mcp')
    // Put in place later: what cannot be read at first is not made.
    const changed = await relay.rollcall.admin('PATCH', `/servers/${made.id}`, {
      remote: { url: upstream.url, ...remote },
    })
    assert.equal(changed.status, 200, changed.text)
    return made.id
  }

  it('says that nothing can be reached', async () => {
    const { id } = await relay.serve('http://127.0.0.1:9/mcp')
    assert.match(await problemOf(relay.rollcall, id), /cannot be reached/)
  })

  it('says that other credentials are wanted', async () => {
    const id = await serve((_, response) => void response.writeHead(401).end())
    assert.match(await problemOf(relay.rollcall, id), /asks for other credentials/)
  })

  it('says that what answers is no MCP server', async () => {
    const id = await serve((_, response) => sendText(response, '<html>', 'text/html'))
    assert.match(await problemOf(relay.rollcall, id), /what is no JSON/)
  })

  it('says where a redirect may not go', async () => {
    const id = await serve((_, response) => {
      response.writeHead(307, { location: 'http://user:word@127.0.0.1/mcp' }).end()
    })
    assert.match(await problemOf(relay.rollcall, id), /must have no user name or password/)
  })

  it('is over with the time-out of the server, however many pages there are', async () => {
    let page = 0
    const answers: Answers = {
      ...LEGACY,
      'tools/list': (seen, response) => {
        const tools = [{ name: `a${page}`, inputSchema: { type: 'object' } }]
        setTimeout(() => sendResult(seen, response, { tools, nextCursor: `${page++}` }), 50)
      },
    }
    const remote = keep(await startRemote(answers))
    const first = keep(await startRemote(LEGACY))
    const { id } = await relay.serve(first.url)
    await relay.rollcall.admin('PATCH', `/servers/${id}`, {
      remote: { url: remote.url, timeoutSeconds: 0.4 },
    })
    assert.match(await problemOf(relay.rollcall, id), /did not answer within 0.4 s/)
    assert.ok(page > 1)
  })

  it('says that the host is a private one', async () => {
    const rollcall = await startRollcall()
    try {
      const file = { name: 'Inside', kind: 'remote', hosted: true }
      const remote = { url: 'https://10.0.0.1/mcp' }
      const made = await rollcall.admin('POST', '/servers', { ...file, remote })
      assert.equal(made.status, 201, made.text)
      assert.match(await problemOf(rollcall, made.json.id), /10\.0\.0\.1 is a private address/)
    } finally {
      await rollcall.close()
    }
  })
})
