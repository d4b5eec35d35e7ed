/** E1: the tools of a configuration, discovered now (`convai-api.md` §2, §9; seed 002). */
import { ElevenLabs, ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOrganization, inOrganization } from '../support/admin.ts'
import { convaiOf, memberKey } from '../support/convai.ts'
import { LIST_TOOLS_RESPONSE, assertSchema } from '../support/convai-schemas.ts'
import { SEED, useListing } from '../support/convai-listing.ts'
import { startRelay } from '../support/relay.ts'
import { sendResult } from '../support/remote-mcp.ts'
import { startFar } from '../support/upstreams/far.ts'

const BARE = { name: 'bare', inputSchema: { type: 'object' } }
const RICH = {
  name: 'rich',
  title: 'Rich',
  description: 'Has everything',
  inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
  outputSchema: { type: 'object', properties: { b: { type: 'integer' } } },
  annotations: {
    title: 'Rich',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  icons: [
    { src: 'https://a.example/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' },
  ],
  execution: { taskSupport: 'optional' },
  _meta: { 'a.example/x': [1, null, { y: 'z' }] },
}

describe('GET /v1/convai/mcp-servers/:id/tools', () => {
  const world = useListing()
  const { configure, toolsOf, list } = world

  it('answers what the documentation prints', async () => {
    const id = await configure()
    const { status, json } = await toolsOf(id)
    assert.equal(status, 200)
    assert.deepEqual(json, SEED)
    assertSchema(LIST_TOOLS_RESPONSE, json)
  })

  it('is understood by the official client, with every member of a tool', async () => {
    world.far.tools = [BARE, RICH]
    const { success, tools, toolApprovalStatuses, errorMessage } = await list(await configure())
    assert.deepEqual([success, toolApprovalStatuses, errorMessage], [true, [], undefined])
    const { _meta: meta, ...rest } = RICH
    assert.deepEqual(JSON.parse(JSON.stringify(tools)), [BARE, { ...rest, meta }])
  })

  it('finds what the remote server has at this moment, in its order, through all pages', async () => {
    const id = await configure()
    world.far.tools = Array.from({ length: 25 }, (_, n) => ({ ...BARE, name: `t${(n * 7) % 25}` }))
    world.far.pageSize = 10
    const names = world.far.tools.map((tool) => (tool as { name: string }).name)
    const { tools } = await list(id)
    assert.deepEqual(
      tools.map(({ name }) => name),
      names,
    )
    world.far.tools = []
    assert.deepEqual((await list(id)).tools, [])
  })

  it('drops what is no tool and repairs what the official client would refuse', async () => {
    world.far.tools = [
      { name: 'none' },
      { inputSchema: {} },
      { name: 'list', inputSchema: [] },
      {
        ...BARE,
        title: null,
        description: 7,
        icons: [{ mimeType: 'image/png' }, { src: 'https://a.example/i.png', sizes: 'any' }],
        annotations: { readOnlyHint: 'yes', openWorldHint: true },
        input_schema: {},
        score: 1,
      },
      'text',
    ]
    const id = await configure()
    const { json } = await toolsOf(id)
    const expected = {
      ...BARE,
      icons: [{ src: 'https://a.example/i.png' }],
      annotations: { openWorldHint: true },
    }
    assert.deepEqual(json, { success: true, tools: [expected], tool_approval_statuses: [] })
    assert.equal((await list(id)).tools.length, 1)
  })

  it('opens one session with a remote server of a hundred tools, and keeps it', async () => {
    world.far.tools = Array.from({ length: 100 }, (_, n) => ({ ...RICH, name: `t${n}` }))
    const id = await configure()
    for (let n = 0; n < 3; n++) assert.equal((await list(id)).tools.length, 100)
    assert.equal(world.far.count('initialize'), 1)
    assert.equal(world.far.count('server/discover'), 1)
  })

  it('asks the remote server once for fifty who ask at the same time', async () => {
    const id = await configure()
    const other = await startFar(SEED.tools)
    const otherId = await configure(other.url)
    await list(id)
    const [initialized, listed] = [world.far.count('initialize'), world.far.count('tools/list')]
    const gate = Promise.withResolvers<void>()
    world.far.answer = async (seen, response) => {
      await gate.promise
      sendResult(seen, response, { tools: SEED.tools })
    }
    const asking = Array.from({ length: 50 }, () => list(id))
    await world.far.untilRequest(() => world.far.count('tools/list') > listed)
    await list(otherId) // who asks later and does more is answered: the fifty have come as far
    await other.close()
    gate.resolve()
    const answers = await Promise.all(asking)
    assert.ok(answers.every(({ success, tools }) => success && tools.length === 2))
    assert.equal(world.far.count('tools/list'), listed + 1)
    assert.equal(world.far.count('initialize'), initialized)
  })

  describe('by environment', () => {
    const resolving = async () => {
      const label = `path_${crypto.randomUUID().slice(0, 8)}`
      const values = { production: 'api', staging: 'stg' }
      const body = { label, type: 'string', values }
      const made = await world.relay.rollcall.admin('POST', '/variables', body)
      assert.equal(made.status, 201, made.text)
      return configure(`${world.far.url}/{{system__env_${label}}}/mcp`)
    }
    const ROWS: [query: string, path: string][] = [
      ['', '/api/mcp'],
      ['?environment=', '/api/mcp'],
      ['?environment=production', '/api/mcp'],
      ['?environment=staging', '/stg/mcp'],
      ['?environment=nowhere', '/api/mcp'],
    ]
    for (const [query, path] of ROWS) {
      it(`asks ${path} for "${query}"`, async () => {
        const id = await resolving()
        const known = world.far.requests.length
        assert.equal((await toolsOf(id, query)).json.success, true)
        const paths = world.far.requests.slice(known).map((seen) => seen.path)
        assert.ok(paths.length > 0)
        assert.deepEqual([...new Set(paths)], [path])
      })
    }

    it('takes the name from the official client', async () => {
      const id = await resolving()
      const known = world.far.requests.length
      assert.equal((await list(id, { environment: 'staging' })).success, true)
      assert.equal(world.far.requests[known]?.path, '/stg/mcp')
    })

    it('says which variable is not defined', async () => {
      const id = await configure(`${world.far.url}/{{system__env_nobody_defined_it}}/mcp`)
      const { success, tools, errorMessage, toolApprovalStatuses } = await list(id)
      assert.deepEqual([success, tools, toolApprovalStatuses], [false, [], []])
      assert.match(errorMessage ?? '', /variable "nobody_defined_it" is not defined/)
    })

    for (const name of ['a b', 'a/b', 'ä', 'x'.repeat(65), '__proto__']) {
      it(`refuses the name ${name.slice(0, 20)}`, async () => {
        await assert.rejects(list('mcps_0', { environment: name }), (error) => {
          assert.ok(error instanceof ElevenLabs.UnprocessableEntityError)
          const [wrong] = (error.body as { detail: { loc: unknown }[] }).detail
          assert.deepEqual(wrong?.loc, ['query', 'environment'])
          return true
        })
      })
    }
  })

  it('is 404 for another organization, as for an id that nobody has', async () => {
    const id = await configure()
    await createOrganization(world.relay.rollcall, 'elsewhere')
    const { secret } = await memberKey(world.relay.rollcall, {}, inOrganization('elsewhere'))
    const stranger = convaiOf(world.relay.rollcall, secret)
    const known = world.far.requests.length
    const bodies: object[] = []
    for (const asked of [id, id.replace(/.{5}$/, '00000')]) {
      await assert.rejects(
        stranger.sdk.conversationalAi.mcpServers.tools.list(asked, {}),
        (error) => {
          assert.ok(error instanceof ElevenLabsError)
          assert.equal(error.statusCode, 404)
          const { detail } = error.body as { detail: { request_id: string; message: string } }
          assert.equal(error.rawResponse?.headers.get('x-request-id'), detail.request_id)
          bodies.push({ ...detail, request_id: '', message: detail.message.replace(asked, '') })
          return true
        },
      )
    }
    assert.deepEqual(bodies[0], bodies[1])
    assert.equal(world.far.requests.length, known)
  })

  it('is for every member', async () => {
    const id = await configure()
    const { secret } = await memberKey(world.relay.rollcall, { role: 'member' })
    const { sdk } = convaiOf(world.relay.rollcall, secret)
    assert.equal((await sdk.conversationalAi.mcpServers.tools.list(id, {})).success, true)
  })
})

describe('A remote server at a private address, where those are not allowed', () => {
  it('is not asked, and the reason is told', async () => {
    const relay = await startRelay({ ALLOW_PRIVATE_UPSTREAMS: '0' })
    const far = await startFar(SEED.tools)
    try {
      const { configuration } = await relay.serve(far.url, {}, { hosted: false })
      const convai = convaiOf(relay.rollcall, (await memberKey(relay.rollcall)).secret)
      const { tools: resource } = convai.sdk.conversationalAi.mcpServers
      const { success, tools, errorMessage } = await resource.list(configuration, {})
      assert.deepEqual([success, tools], [false, []])
      assert.match(errorMessage ?? '', /127\.0\.0\.1 is a private address/)
      assert.equal(far.requests.length, 0)
    } finally {
      await relay.close()
      await far.close()
    }
  })
})
