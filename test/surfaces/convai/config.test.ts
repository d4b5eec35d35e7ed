import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseServerFile } from '../../../src/catalog/server-file.ts'
import { patchSettings, type ServerSettings } from '../../../src/catalog/server.ts'
import { formatConfiguration } from '../../../src/surfaces/convai/config-answer.ts'
import { ConfigChange, createBody } from '../../../src/surfaces/convai/config-form.ts'
import { changeConfig, newConfig } from '../../../src/surfaces/convai/config.ts'
import { formatExtras, parseExtras } from '../../../src/surfaces/convai/extras.ts'
import {
  createRandom,
  DEFAULTS,
  randomConfig,
  randomTool,
  TOOL_DEFAULTS,
} from '../../support/convai-configs.ts'

const NOW = 1_800_000_000_999
const BODY = createBody({ DEVELOPMENT: false })
const URL = 'https://example.com/mcp'

type Approvals = ReturnType<typeof newConfig>['approvalHashes']

/** A record as the organization gives it. */
function record(settings: ServerSettings, extras: string, approvals: Approvals = []) {
  const times = { createdAt: '', updatedAt: '' }
  const server = { id: '0'.repeat(16), settings, revision: 1, publishedRevision: 1, toolCount: 0 }
  const id = `mcps_${'0'.repeat(20)}`
  const made = { createdBy: 'mem_a', createdAt: NOW }
  return {
    id,
    server: { ...server, ...times },
    extras,
    approvals,
    ...made,
  }
}

/** What is stored of a configuration that a client makes. */
function stored(config: object) {
  const { file, extras, approvalHashes } = newConfig(BODY.parse({ config }).config)
  const { settings } = parseServerFile(JSON.parse(JSON.stringify(file)))
  return { settings, extras: formatExtras(extras), approvals: approvalHashes }
}

const answered = ({ settings, extras, approvals }: ReturnType<typeof stored>) =>
  formatConfiguration(record(settings, extras, approvals)).config

/** The same after a client changed it. */
function changed(before: ReturnType<typeof stored>, change: object) {
  const { approvalPolicy, remote, overrides } = before.settings
  assert.ok(remote)
  const now = {
    settings: { approvalPolicy, remote, overrides },
    extras: parseExtras(before.extras),
  }
  const { settings, extras } = changeConfig(now, ConfigChange.parse(change))
  return {
    settings: patchSettings(before.settings, { ...settings }),
    extras: formatExtras(extras),
    approvals: before.approvals,
  }
}

describe('a configuration', () => {
  it('has every field, those that were not given by their defaults', () => {
    assert.deepEqual(formatConfiguration(record(stored({ url: URL, name: 'A' }).settings, '{}')), {
      id: `mcps_${'0'.repeat(20)}`,
      config: { url: URL, name: 'A', ...DEFAULTS },
      access_info: null,
      dependent_agents: [],
      metadata: { created_at: 1_800_000_000, owner_user_id: 'mem_a' },
    })
  })

  it('takes null as not given, and ignores what nobody knows', () => {
    const nulls = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, null]))
    const made = stored({ url: URL, name: 'A', ...nulls, unheard_of: 1 })
    assert.deepEqual(answered(made), { url: URL, name: 'A', ...DEFAULTS })
    const tool = Object.fromEntries(Object.keys(TOOL_DEFAULTS).map((key) => [key, null]))
    const tools = [{ tool_name: 'a', ...tool, other: {} }]
    const { tool_config_overrides } = answered(
      stored({ url: URL, name: 'A', tool_config_overrides: tools }),
    )
    assert.deepEqual(tool_config_overrides, [{ tool_name: 'a', ...TOOL_DEFAULTS }])
  })

  it('gives back all that was given, a thousand times', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const config = randomConfig(createRandom(seed))
      const { tool_config_overrides: tools = [] } = config as { tool_config_overrides?: object[] }
      const expected = {
        ...DEFAULTS,
        ...config,
        tool_config_overrides: tools.map((tool) => ({ ...TOOL_DEFAULTS, ...tool })),
      }
      assert.deepEqual(answered(stored(config)), expected, `seed ${seed}`)
    }
  })

  it('changes in what is said alone, a thousand times', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const random = createRandom(seed)
      const before = stored(randomConfig(random))
      const { url: _, name: _n, ...change } = randomConfig(random) as Record<string, unknown>
      const { description, transport, tool_approval_hashes, tool_config_overrides } =
        answered(before)
      const fixed = { description, transport, tool_approval_hashes, tool_config_overrides }
      const expected = { ...answered(before), ...change, ...fixed }
      assert.deepEqual(answered(changed(before, change)), expected, `seed ${seed}`)
    }
  })

  it('acts by its settings, which every surface reads', () => {
    const random = createRandom(1)
    const tool = {
      ...randomTool(random, 'search'),
      response_timeout_secs: 10,
      input_overrides: {
        'a.b': { source: 'constant', constant_value: 7 },
        'c[0]': { source: 'omit' },
        d: { source: 'llm' },
      },
    }
    const { settings } = stored({
      url: 'https://{{system__env_host}}.example.com/mcp',
      name: 'Tools',
      transport: 'STREAMABLE_HTTP',
      request_headers: {
        'X-Plain': 'a',
        'X-Secret': { secret_id: 's' },
        'X-Variable': { env_var_label: 'v' },
        'X-Dynamic': { variable_name: 'd' },
      },
      request_meta: { n: 1, s: { secret_id: 's' }, d: { variable_name: 'd' } },
      secret_token: { secret_id: 'token' },
      disable_compression: true,
      tool_config_overrides: [tool],
    })
    assert.deepEqual(
      {
        ...settings,
        remote: { ...settings.remote, refreshSeconds: undefined, watchLists: undefined },
      },
      {
        name: 'Tools',
        slug: 'tools',
        kind: 'remote',
        status: 'active',
        auth: 'none',
        vanity: false,
        ttlMs: 30_000,
        notifications: true,
        sessionIdleSeconds: 3600,
        approvalPolicy: 'require_approval_all',
        remote: {
          url: 'https://{{system__env_host}}.example.com/mcp',
          transport: 'auto',
          headers: {
            'X-Plain': 'a',
            'X-Secret': { secret: 's' },
            'X-Variable': { variable: 'v' },
          },
          auth: { type: 'header', name: 'Authorization', value: { secret: 'token' } },
          meta: { n: 1, s: { secret: 's' } },
          compression: false,
          timeoutSeconds: 30,
          refreshSeconds: undefined,
          watchLists: undefined,
        },
        overrides: {
          search: {
            timeoutSeconds: 10,
            inputs: { '/a/b': { constant: 7 }, '/c/0': { omit: true } },
          },
        },
      },
    )
  })

  it('keeps a token for when there is no auth connection any more', () => {
    const token = { secret_id: 'token' }
    const auth = (made: ReturnType<typeof stored>) => made.settings.remote?.auth
    const made = stored({
      url: URL,
      name: 'A',
      secret_token: token,
      auth_connection: { env_var_label: 'AUTH' },
    })
    assert.deepEqual(auth(made), { type: 'connection', connection: { variable: 'AUTH' } })
    const without = changed(made, { auth_connection: null })
    const header = { type: 'header', name: 'Authorization', value: { secret: 'token' } }
    assert.deepEqual(auth(without), header)
    assert.equal(without.extras.includes('token'), false)
    assert.deepEqual(auth(changed(without, { secret_token: null })), { type: 'none' })
  })

  it('shows what an operator set, and keeps of it what it has no words for', () => {
    const bearer = { type: 'bearer', token: { secret: 'token' } }
    const { settings } = parseServerFile({
      name: 'A',
      kind: 'remote',
      remote: { url: 'http://example.com', timeoutSeconds: 0.5, refreshSeconds: 60, auth: bearer },
      overrides: { a: { title: 'T' }, b: { inputs: { '/x y': { omit: true } } } },
    })
    const made = { settings, extras: '{}', approvals: [] as Approvals }
    const config = answered(made)
    assert.equal(config.transport, 'STREAMABLE_HTTP')
    assert.equal(config.approval_policy, 'auto_approve_all')
    assert.equal(config.response_timeout_secs, 5)
    assert.deepEqual(config.secret_token, { secret_id: 'token' })
    assert.deepEqual(config.tool_config_overrides, [
      { tool_name: 'b', ...TOOL_DEFAULTS, input_overrides: { "$['x y']": { source: 'omit' } } },
    ])
    const after = changed(made, { ...config, response_timeout_secs: null, execution_mode: 'async' })
    assert.deepEqual(JSON.parse(JSON.stringify(after.settings)), settings)
    const basic = { type: 'basic', username: 'u', password: { secret: 'p' } }
    const other = {
      ...made,
      settings: patchSettings(settings, { remote: { url: URL, auth: basic } }),
    }
    assert.equal(answered(other).secret_token, null)
    const { remote } = changed(other, { secret_token: null, auth_connection: null }).settings
    assert.deepEqual(remote?.auth, basic)
  })
})
