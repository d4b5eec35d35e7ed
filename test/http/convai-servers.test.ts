/** Server configurations and what is said of their tools, as the official client has them (E2–E7, E10–E13). */
import { ElevenLabsError, type ElevenLabs } from '@elevenlabs/elevenlabs-js'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { BOTH, onlyEvent } from '../support/acme.ts'
import { createOrganization, createServer, inOrganization, readServer } from '../support/admin.ts'
import { convaiOf, memberKey, type Convai } from '../support/convai.ts'
import { DEFAULTS, TOOL_DEFAULTS } from '../support/convai-configs.ts'
import { eventually } from '../support/eventually.ts'
import { LIST } from '../support/messages.ts'
import { applySnapshot, remoteFile, REMOTE_URL, remoteTool, snapshot } from '../support/remotes.ts'
import { startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'
import { serverFile } from '../support/servers.ts'

const SERVERS = '/v1/convai/mcp-servers'
const MADE_UP = `mcps_${'0'.repeat(20)}`

let rollcall: Rollcall
let convai: Convai
before(async () => {
  rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
  convai = convaiOf(rollcall, (await memberKey(rollcall)).secret)
  for (const name of ['secret_a', 'secret_b']) {
    const put = await rollcall.admin('PUT', `/secrets/${name}`, { value: 'a value' })
    assert.equal(put.status, 201, put.text)
  }
})
after(() => rollcall.close())

const servers = () => convai.sdk.conversationalAi.mcpServers
const create = (config: Partial<ElevenLabs.McpServerConfigInput> = {}) =>
  servers().create({ config: { url: REMOTE_URL, name: 'Far', ...config } })

/** What a client throws, by its status and code. */
async function refusalOf(asking: Promise<unknown>) {
  try {
    await asking
  } catch (error) {
    assert.ok(error instanceof ElevenLabsError, String(error))
    const { detail } = error.body as { detail: { code: string } }
    return { name: error.name, status: error.statusCode, code: detail.code }
  }
  throw new Error('it was not refused')
}

/** The places of what is wrong. */
function places({ status, text, json }: Answer): string[] {
  assert.equal(status, 422, text)
  return json.detail.map(({ loc }: { loc: (string | number)[] }) => loc.join(' '))
}

/** The server of a configuration, as the admin API tells it. */
async function serverOf({ id }: { id: string }) {
  const { json } = await rollcall.admin('GET', '/servers?limit=1000')
  const found = json.items.find(({ configuration }: { configuration?: string }) => {
    return configuration === id
  })
  assert.ok(found)
  return readServer(rollcall, found.id)
}

describe('a server configuration', () => {
  it('is made with defaults, and answered alike by each call', async () => {
    const made = await create()
    assert.match(made.id, /^mcps_[0-9a-hjkmnp-tv-z]{20}$/)
    const { status, json } = await convai.ask('GET', `${SERVERS}/${made.id}`)
    assert.equal(status, 200)
    assert.deepEqual(json.config, { url: REMOTE_URL, name: 'Far', ...DEFAULTS })
    assert.ok(Math.abs(json.metadata.created_at - Date.now() / 1000) < 60)
    assert.deepEqual(await servers().get(made.id), made)
    const { mcpServers } = await servers().list()
    assert.deepEqual(
      mcpServers.find(({ id }) => id === made.id),
      made,
    )
  })

  it('is answered before its server is, which is asked all the same', async () => {
    const upstream = createHttpServer()
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo
    const asked = once(upstream, 'request')
    const { config } = await create({ url: `http://127.0.0.1:${port}/mcp` })
    assert.equal(config.url, `http://127.0.0.1:${port}/mcp`)
    await asked
    upstream.closeAllConnections()
    upstream.close()
  })

  it('gives back all that it was made with', async () => {
    const config = {
      url: 'https://example.com/all',
      name: 'All of it',
      description: 'Tools',
      transport: 'STREAMABLE_HTTP' as const,
      approvalPolicy: 'require_approval_per_tool' as const,
      toolApprovalHashes: [
        { toolName: 'a', toolHash: 'a'.repeat(64), approvalPolicy: 'auto_approved' as const },
        { toolName: 'b', toolHash: 'b'.repeat(64), approvalPolicy: 'requires_approval' as const },
      ],
      secretToken: { secretId: 'secret_a' },
      requestHeaders: {
        'X-Plain': 'plain',
        'X-Secret': { secretId: 'secret_b' },
        'X-Dynamic': { variableName: 'user' },
      },
      requestMeta: { 'example.com/n': 1, flag: false, dynamic: { variableName: 'user' } },
      responseTimeoutSecs: 300,
      disableCompression: true,
      preToolSpeech: 'force' as const,
      interruptionMode: 'disable_during_tool' as const,
      toolCallSound: 'elevator2' as const,
      toolCallSoundBehavior: 'always' as const,
      executionMode: 'async' as const,
      forcePreToolSpeech: true,
      disableInterruptions: true,
      toolConfigOverrides: [
        {
          toolName: 'a:b',
          toolCallSound: 'off' as const,
          responseTimeoutSecs: 7,
          inputOverrides: {
            '$.filter.owner': { source: 'constant' as const, constantValue: { id: 7 } },
            'items[0]': { source: 'omit' as const },
            who: { source: 'dynamic_variable' as const, dynamicVariable: 'user' },
          },
        },
      ],
    }
    const made = await create(config)
    const {
      toolConfigOverrides: [tool],
      ...given
    } = config
    const { toolConfigOverrides: [answered] = [], ...rest } = made.config
    assert.deepEqual(rest, { ...given, authConnection: undefined })
    assert.deepEqual({ ...answered, ...tool }, answered)
    assert.deepEqual((await serverOf(made)).overrides, {
      'a:b': {
        timeoutSeconds: 7,
        inputs: { '/filter/owner': { constant: { id: 7 } }, '/items/0': { omit: true } },
      },
    })
  })

  it('is refused with every wrong field at once', async () => {
    const answer = await convai.ask('POST', SERVERS, {
      config: {
        url: 'http://example.com/mcp',
        approval_policy: 'always_ask',
        response_timeout_secs: 4,
        request_headers: { Authorization: 'Bearer x' },
        secret_token: { id: 'a', name: 'b', encrypted_value: 'c', nonce: 'd' },
        tool_config_overrides: [
          { tool_name: 'a', input_overrides: { '$..a': { source: 'omit' } } },
        ],
      },
    })
    assert.deepEqual([...new Set(places(answer))].toSorted(), [
      'body config approval_policy',
      'body config name',
      'body config request_headers Authorization',
      'body config response_timeout_secs',
      'body config secret_token',
      'body config tool_config_overrides 0 input_overrides $..a',
      'body config url',
    ])
    assert.deepEqual(places(await convai.ask('POST', SERVERS, {})), ['body config'])
    const { name, status } = await refusalOf(create({ responseTimeoutSecs: 1 }))
    assert.deepEqual([name, status], ['UnprocessableEntityError', 422])
  })

  it('is refused where it refers to what is not there', async () => {
    const config = {
      url: 'https://{{system__env_later}}.example.com/',
      name: 'A',
      secret_token: { secret_id: 'nothing' },
      auth_connection: { auth_connection_id: `ac_${'0'.repeat(20)}` },
      request_headers: { 'X.A': { secret_id: 'secret_a' }, 'X.B': { env_var_label: 'later' } },
      request_meta: { m: { secret_id: 'nothing' } },
    }
    assert.deepEqual(places(await convai.ask('POST', SERVERS, { config })), [
      'body config request_meta m secret_id',
      'body config secret_token secret_id',
      'body config auth_connection auth_connection_id',
    ])
    const { id } = await create()
    const change = { secret_token: { secret_id: 'nothing' } }
    const expected = ['body secret_token secret_id']
    assert.deepEqual(places(await convai.ask('PATCH', `${SERVERS}/${id}`, change)), expected)
    assert.deepEqual(places(await convai.ask('PATCH', `${SERVERS}/${MADE_UP}`, change)), expected)
  })

  it('changes in what is given: null clears, or is ignored where there must be a value', async () => {
    const { id, config } = await create({
      secretToken: { secretId: 'secret_a' },
      toolCallSound: 'typing',
      requestHeaders: { 'X-A': 'a' },
      responseTimeoutSecs: 60,
    })
    const same = await convai.ask('PATCH', `${SERVERS}/${id}`, {})
    assert.equal(same.status, 200)
    assert.deepEqual((await servers().get(id)).config, config)
    const updated = await servers().update(id, {
      approvalPolicy: 'auto_approve_all',
      executionMode: 'post_tool_speech',
      requestHeaders: {},
    })
    assert.deepEqual(updated.config, {
      ...config,
      approvalPolicy: 'auto_approve_all',
      executionMode: 'post_tool_speech',
      requestHeaders: {},
    })
    const nulls = { secret_token: null, tool_call_sound: null, response_timeout_secs: null }
    const fixed = { url: 'https://example.org/', name: 'Other', transport: 'STREAMABLE_HTTP' }
    const cleared = await convai.ask('PATCH', `${SERVERS}/${id}`, { ...nulls, ...fixed })
    const rest = { ...updated.config, secretToken: undefined, toolCallSound: undefined }
    assert.deepEqual((await servers().get(id)).config, rest)
    assert.equal(cleared.json.config.url, REMOTE_URL)
    const policy = await servers().approvalPolicy.update(id, {
      approvalPolicy: 'require_approval_per_tool',
    })
    assert.equal(policy.config.approvalPolicy, 'require_approval_per_tool')
    const missing = await convai.ask('PATCH', `${SERVERS}/${id}/approval-policy`, {})
    assert.deepEqual(places(missing), ['body approval_policy'])
  })

  it('takes changes that come together, each of them', async () => {
    const { id } = await create()
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    await Promise.all(names.map((toolName) => servers().toolConfigs.create(id, { toolName })))
    const { toolConfigOverrides = [] } = (await servers().get(id)).config
    assert.deepEqual(toolConfigOverrides.map(({ toolName }) => toolName).toSorted(), names)
  })

  it('is gone with its server once it was deleted, on each surface', async () => {
    const { id } = await create()
    const server = await serverOf({ id })
    await servers().delete(id)
    assert.equal((await rollcall.admin('GET', `/servers/${server.id}`)).status, 404)
    const gone = { name: 'ElevenLabsError', status: 404, code: 'mcp_server_not_found' }
    assert.deepEqual(await refusalOf(servers().get(id)), gone)
    assert.deepEqual(await refusalOf(servers().delete(id)), gone)
    const again = await create()
    await rollcall.admin('DELETE', `/servers/${(await serverOf(again)).id}`)
    assert.deepEqual(await refusalOf(servers().get(again.id)), gone)
  })

  it('of another organization is answered like one that is made up', async () => {
    await createOrganization(rollcall, 'elsewhere')
    const { secret } = await memberKey(rollcall, {}, inOrganization('elsewhere'))
    const other = convaiOf(rollcall, secret)
    const { id } = await create()
    const tool = `${SERVERS}/${id}/tool-configs/a`
    const asking: [method: string, path: string, body?: object][] = [
      ['GET', `${SERVERS}/${id}`],
      ['PATCH', `${SERVERS}/${id}`, {}],
      ['DELETE', `${SERVERS}/${id}`],
      ['PATCH', `${SERVERS}/${id}/approval-policy`, { approval_policy: 'auto_approve_all' }],
      ['POST', `${SERVERS}/${id}/tool-configs`, { tool_name: 'a' }],
      ['GET', tool],
      ['PATCH', tool, {}],
      ['DELETE', tool],
    ]
    for (const [method, path, body] of asking) {
      const theirs = await other.ask(method, path, body)
      const madeUp = await convai.ask(method, path.replace(id, MADE_UP), body)
      const told = [theirs, madeUp].map(({ status, text, json }) => {
        assert.equal(status, 404, text)
        const { request_id: _, ...detail } = json.detail
        return JSON.stringify(detail).replace(id, MADE_UP)
      })
      assert.equal(told[0], told[1], `${method} ${path}`)
      assert.equal(theirs.json.detail.code, 'mcp_server_not_found')
    }
    assert.deepEqual((await other.sdk.conversationalAi.mcpServers.list()).mcpServers, [])
    assert.equal((await servers().get(id)).id, id)
  })

  it('is read by every member, and written by those with the permission', async () => {
    const { id } = await create()
    const { secret } = await memberKey(rollcall, { role: 'member' })
    const member = convaiOf(rollcall, secret)
    assert.equal((await member.ask('GET', `${SERVERS}/${id}`)).status, 200)
    const writes: [method: string, path: string, body?: object][] = [
      ['POST', SERVERS, { config: { url: REMOTE_URL, name: 'A' } }],
      ['PATCH', `${SERVERS}/${id}`, {}],
      ['DELETE', `${SERVERS}/${id}`],
      ['POST', `${SERVERS}/${id}/tool-configs`, { tool_name: 'a' }],
    ]
    for (const [method, path, body] of writes) {
      const { status, json } = await member.ask(method, path, body)
      assert.deepEqual([status, json.detail.status], [401, 'missing_permissions'], path)
    }
  })
})

describe('what is said of a tool', () => {
  it('is made once, read, changed and taken back', async () => {
    const { id } = await create()
    const { toolConfigs } = servers()
    const made = await toolConfigs.create(id, {
      environment: 'staging',
      toolName: 'a/b c',
      responseTimeoutSecs: 9,
      inputOverrides: { $ref: { source: 'constant', constantValue: 'x' } },
    })
    assert.deepEqual(
      made.config.toolConfigOverrides?.map(({ toolName }) => toolName),
      ['a/b c'],
    )
    assert.deepEqual(await refusalOf(toolConfigs.create(id, { toolName: 'a/b c' })), {
      name: 'ConflictError',
      status: 409,
      code: 'tool_config_already_exists',
    })
    const path = `${SERVERS}/${id}/tool-configs/a%2Fb%20c`
    const { json } = await convai.ask('GET', path)
    const expected = {
      ...TOOL_DEFAULTS,
      tool_name: 'a/b c',
      response_timeout_secs: 9,
      input_overrides: { $ref: { source: 'constant', constant_value: 'x' } },
    }
    assert.deepEqual(json, expected)
    const body = { response_timeout_secs: null, pre_tool_speech: 'off', tool_name: 'other' }
    await convai.ask('PATCH', `${path}?environment=staging`, body)
    assert.deepEqual((await convai.ask('GET', path)).json, {
      ...expected,
      response_timeout_secs: null,
      pre_tool_speech: 'off',
    })
    const without = await toolConfigs.delete(id, 'a/b c')
    assert.deepEqual(without.config.toolConfigOverrides, [])
    const missing = { name: 'NotFoundError', status: 404, code: 'tool_config_not_found' }
    assert.deepEqual(await refusalOf(toolConfigs.get(id, 'a/b c')), missing)
    assert.deepEqual(await refusalOf(toolConfigs.update(id, 'a/b c', {})), missing)
    const deleted = { ...missing, name: 'ElevenLabsError' }
    assert.deepEqual(await refusalOf(toolConfigs.delete(id, 'constructor')), deleted)
  })

  it('is refused with each wrong field at its place', async () => {
    const { id } = await create()
    const answer = await convai.ask('POST', `${SERVERS}/${id}/tool-configs`, {
      assignments: [{ dynamic_variable: 'a' }],
      response_mocks: [{ mock_result: '', parameter_conditions: [{ path: 'a', eval: {} }] }],
      input_overrides: { a: { source: 'omit' }, '$.a[*]': { source: 'omit' } },
    })
    assert.deepEqual(places(answer).toSorted(), [
      'body assignments 0 value_path',
      'body input_overrides $.a[*]',
      'body response_mocks 0 parameter_conditions 0 eval',
      'body tool_name',
    ])
  })
})

describe('one remote server', () => {
  it('is shown on convai when an operator made it, and tells what it became by the admin API', async () => {
    const made = await createServer(rollcall, remoteFile('By hand', { auth: 'key' }))
    assert.match(made.configuration, /^mcps_/)
    const { config } = await servers().get(made.configuration)
    assert.equal(config.approvalPolicy, 'auto_approve_all')
    assert.equal(config.transport, 'STREAMABLE_HTTP')
    await rollcall.admin('PATCH', `/servers/${made.id}`, {
      name: 'Renamed',
      approvalPolicy: 'require_approval_all',
      remote: { url: REMOTE_URL, headers: { 'X-A': { secret: 'secret_a' } }, timeoutSeconds: 12 },
      overrides: { a: { inputs: { '/x': { omit: true } } } },
    })
    const { name, approvalPolicy, requestHeaders, responseTimeoutSecs, toolConfigOverrides } = (
      await servers().get(made.configuration)
    ).config
    assert.deepEqual(
      { name, approvalPolicy, requestHeaders, responseTimeoutSecs },
      {
        name: 'Renamed',
        approvalPolicy: 'require_approval_all',
        requestHeaders: { 'X-A': { secretId: 'secret_a' } },
        responseTimeoutSecs: 12,
      },
    )
    assert.deepEqual(toolConfigOverrides?.[0]?.inputOverrides, { '$.x': { source: 'omit' } })
    const hosted = await createServer(rollcall, serverFile('Hosted', []))
    assert.equal('configuration' in hosted, false)
  })

  it('is changed for the admin API by what convai says of it', async () => {
    const made = await create({ requestHeaders: { 'X-A': 'a' } })
    const { remote, approvalPolicy, slug } = await serverOf(made)
    assert.deepEqual([remote.transport, approvalPolicy], ['sse', 'require_approval_all'])
    assert.match(slug, /^far(?:-\d+)?$/)
    await servers().update(made.id, {
      secretToken: { secretId: 'secret_b' },
      responseTimeoutSecs: 45,
      disableCompression: true,
    })
    const { remote: changed } = await serverOf(made)
    assert.deepEqual(changed, {
      ...remote,
      auth: { type: 'header', name: 'Authorization', value: { secret: 'secret_b' } },
      timeoutSeconds: 45,
      compression: false,
    })
    const { json } = await rollcall.admin('GET', '/audit?limit=5')
    assert.ok(json.items.some(({ act }: { act: string }) => act === 'servers.patch'))
  })

  it('has tools on the gateway by its slug, once an operator says so', async () => {
    const made = await create({ name: 'Three faces', approvalPolicy: 'auto_approve_all' })
    const { id, slug, ...settings } = await serverOf(made)
    assert.equal('gateway' in settings, false)
    await applySnapshot(rollcall, id, snapshot([remoteTool('search'), remoteTool('write')]))
    const listed = async () => {
      const headers = { authorization: `Bearer ${convai.key}`, accept: BOTH }
      const { tools } = onlyEvent(await rollcall.post('/mcp', LIST, headers)).result
      return tools
        .map(({ name }: { name: string }) => name)
        .filter((name: string) => name.startsWith(`org__${slug}__`))
    }
    await rollcall.admin('PATCH', `/servers/${id}`, { gateway: true })
    const names = await eventually(listed, (all) => all.length > 0)
    assert.deepEqual(names, [`org__${slug}__search`, `org__${slug}__write`])
    await rollcall.admin('PATCH', `/servers/${id}`, { hosted: true, auth: 'key' })
    assert.equal((await servers().get(made.id)).id, made.id)
    assert.equal((await serverOf(made)).configuration, made.id)
  })
})
