/** Server configurations, as the official client has them (E2–E7). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { DEFAULTS } from '../support/convai-configs.ts'
import { REMOTE_URL } from '../support/remotes.ts'

import {
  MADE_UP,
  places,
  refusalOf,
  serverOf,
  SERVERS,
  useConfiguring,
} from '../support/configurations.ts'

const world = useConfiguring()
const { servers, create } = world

describe('a server configuration', () => {
  it('is made with defaults, and answered alike by each call', async () => {
    const made = await create()
    assert.match(made.id, /^mcps_[0-9a-hjkmnp-tv-z]{20}$/)
    const { status, json } = await world.convai.ask('GET', `${SERVERS}/${made.id}`)
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
    assert.deepEqual((await serverOf(world.rollcall, made)).overrides, {
      'a:b': {
        timeoutSeconds: 7,
        inputs: { '/filter/owner': { constant: { id: 7 } }, '/items/0': { omit: true } },
      },
    })
  })

  it('is refused with every wrong field at once', async () => {
    const answer = await world.convai.ask('POST', SERVERS, {
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
    assert.deepEqual(places(await world.convai.ask('POST', SERVERS, {})), ['body config'])
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
    assert.deepEqual(places(await world.convai.ask('POST', SERVERS, { config })), [
      'body config request_meta m secret_id',
      'body config secret_token secret_id',
      'body config auth_connection auth_connection_id',
    ])
    const { id } = await create()
    const change = { secret_token: { secret_id: 'nothing' } }
    const expected = ['body secret_token secret_id']
    assert.deepEqual(places(await world.convai.ask('PATCH', `${SERVERS}/${id}`, change)), expected)
    assert.deepEqual(
      places(await world.convai.ask('PATCH', `${SERVERS}/${MADE_UP}`, change)),
      expected,
    )
  })

  it('changes in what is given: null clears, or is ignored where there must be a value', async () => {
    const { id, config } = await create({
      secretToken: { secretId: 'secret_a' },
      toolCallSound: 'typing',
      requestHeaders: { 'X-A': 'a' },
      responseTimeoutSecs: 60,
    })
    const same = await world.convai.ask('PATCH', `${SERVERS}/${id}`, {})
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
    const cleared = await world.convai.ask('PATCH', `${SERVERS}/${id}`, { ...nulls, ...fixed })
    const rest = { ...updated.config, secretToken: undefined, toolCallSound: undefined }
    assert.deepEqual((await servers().get(id)).config, rest)
    assert.equal(cleared.json.config.url, REMOTE_URL)
    const policy = await servers().approvalPolicy.update(id, {
      approvalPolicy: 'require_approval_per_tool',
    })
    assert.equal(policy.config.approvalPolicy, 'require_approval_per_tool')
    const missing = await world.convai.ask('PATCH', `${SERVERS}/${id}/approval-policy`, {})
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
    const server = await serverOf(world.rollcall, { id })
    await servers().delete(id)
    assert.equal((await world.rollcall.admin('GET', `/servers/${server.id}`)).status, 404)
    const gone = { name: 'ElevenLabsError', status: 404, code: 'mcp_server_not_found' }
    assert.deepEqual(await refusalOf(servers().get(id)), gone)
    assert.deepEqual(await refusalOf(servers().delete(id)), gone)
    const again = await create()
    await world.rollcall.admin('DELETE', `/servers/${(await serverOf(world.rollcall, again)).id}`)
    assert.deepEqual(await refusalOf(servers().get(again.id)), gone)
  })

  it('is told of settings that refuse a change, which no field of it is', async () => {
    const made = await create()
    const { id } = await serverOf(world.rollcall, made)
    const open = await world.rollcall.admin('PATCH', `/servers/${id}`, {
      hosted: true,
      auth: 'none',
    })
    assert.equal(open.status, 200, open.text)
    const body = { secret_token: { secret_id: 'secret_a' } }
    const answer = await world.convai.ask('PATCH', `${SERVERS}/${made.id}`, body)
    assert.deepEqual(places(answer), ['body'])
    assert.match(answer.json.detail[0].msg, /auth must not be none: .* is called with a secret/)
  })
})
