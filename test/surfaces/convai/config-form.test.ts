import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConfigChange, createBody } from '../../../src/surfaces/convai/config-form.ts'
import { wrongIn } from '../../../src/surfaces/convai/wrong.ts'

const WELL = { url: 'https://example.com/mcp', name: 'A' }

/** The places of what is wrong with a new configuration. */
function wrongPlaces(members: object, DEVELOPMENT = false): string[] {
  const body = { config: { ...WELL, ...members } }
  const checked = createBody({ DEVELOPMENT }).safeParse(body, { reportInput: true })
  const wrong = checked.success ? [] : wrongIn(checked.error, ['body'])
  return [...new Set(wrong.map(({ loc }) => loc.join(' ')))]
}

const input = (input_overrides: object) => ({
  tool_config_overrides: [{ tool_name: 'a', input_overrides }],
})
const OMIT = { source: 'omit' }
const HASH = { tool_name: 'a', tool_hash: '0'.repeat(64) }
const AT_INPUTS = 'body config tool_config_overrides 0 input_overrides'

const TABLE: [members: object, places: string[]][] = [
  [{}, []],
  [{ url: undefined, name: undefined }, ['body config url', 'body config name']],
  [{ name: '' }, ['body config name']],
  [{ url: 'http://example.com/mcp' }, ['body config url']],
  [{ url: 'ftp://example.com/mcp' }, ['body config url']],
  [{ url: 'https://user:pass@example.com/' }, ['body config url']],
  [{ url: '{{system__env_url}}' }, ['body config url']],
  [{ url: '{{system__env_scheme}}://example.com' }, ['body config url']],
  [{ url: 'https://{{system__env_host}}/mcp' }, []],
  [{ url: 'https://{{ system__env_host }}.example.com/mcp' }, []],
  [{ url: 'https://example.com:{{system__env_port}}/mcp' }, []],
  [{ url: 'https://{{system__env_a-b}}.example.com/mcp' }, ['body config url']],
  [{ url: 'https://{{host}}/{{system__env_path}}' }, ['body config url']],
  [{ request_meta: { progressToken: 1 } }, ['body config request_meta progressToken']],
  [{ request_meta: { '': 1, 'a/b': 1 } }, ['body config request_meta ']],
  [{ transport: 'sse' }, ['body config transport']],
  [{ approval_policy: 'always_ask' }, ['body config approval_policy']],
  [{ response_timeout_secs: 4 }, ['body config response_timeout_secs']],
  [{ response_timeout_secs: 301 }, ['body config response_timeout_secs']],
  [{ response_timeout_secs: 5.5 }, ['body config response_timeout_secs']],
  [
    { request_headers: { Authorization: 'Bearer x' } },
    ['body config request_headers Authorization'],
  ],
  [{ request_headers: { Authorization: { secret_id: 'x' } } }, []],
  [{ request_headers: { 'X-Api-Key': { variable_name: 'x' } } }, []],
  [{ request_headers: { Host: 'x' } }, ['body config request_headers Host']],
  [{ request_headers: { 'Mcp-Session-Id': 'x' } }, ['body config request_headers Mcp-Session-Id']],
  [{ request_headers: { 'a b': 'x' } }, ['body config request_headers a b']],
  [{ request_headers: { 'X-A': 'a\nb' } }, ['body config request_headers X-A']],
  [{ request_meta: { a: null } }, ['body config request_meta a']],
  [
    { secret_token: { id: '1', name: 'n', encrypted_value: 'e', nonce: 'n' } },
    ['body config secret_token'],
  ],
  [
    { auth_connection: {} },
    ['body config auth_connection auth_connection_id', 'body config auth_connection env_var_label'],
  ],
  [{ tool_approval_hashes: [HASH, HASH] }, ['body config tool_approval_hashes 1 tool_name']],
  [
    { tool_approval_hashes: [{ ...HASH, tool_hash: 'x' }] },
    ['body config tool_approval_hashes 0 tool_hash'],
  ],
  [{ tool_config_overrides: [{}] }, ['body config tool_config_overrides 0 tool_name']],
  [
    { tool_config_overrides: [{ tool_name: 'a' }, { tool_name: 'a' }] },
    ['body config tool_config_overrides 1 tool_name'],
  ],
  [input({ '$..a': OMIT }), [`${AT_INPUTS} $..a`]],
  [input({ $: OMIT }), [`${AT_INPUTS} $`]],
  [input({ '$.a': OMIT, a: OMIT }), [`${AT_INPUTS} a`]],
  [input({ a: { source: 'guess' } }), [`${AT_INPUTS} a`]],
  [
    { tool_config_overrides: [{ tool_name: 'a', response_mocks: [{ is_error: 1 }] }] },
    [
      'body config tool_config_overrides 0 response_mocks 0 mock_result',
      'body config tool_config_overrides 0 response_mocks 0 is_error',
    ],
  ],
]

describe('the form of a configuration', () => {
  it('tells each wrong field at its place', () => {
    for (const [members, places] of TABLE) {
      assert.deepEqual(wrongPlaces(members), places, JSON.stringify(members))
    }
  })

  it('tells all wrong fields at once', () => {
    const wrong = {
      url: 'http://example.com',
      transport: 'x',
      request_headers: { Cookie: 'x' },
      response_timeout_secs: 1,
    }
    assert.deepEqual(wrongPlaces(wrong).toSorted(), [
      'body config request_headers Cookie',
      'body config response_timeout_secs',
      'body config transport',
      'body config url',
    ])
  })

  it('takes http of this machine, in development alone', () => {
    for (const host of ['localhost', '127.0.0.1:8000', '[::1]:8000']) {
      assert.deepEqual(wrongPlaces({ url: `http://${host}/mcp` }, true), [])
      assert.deepEqual(wrongPlaces({ url: `http://${host}/mcp` }), ['body config url'])
    }
    assert.deepEqual(wrongPlaces({ url: 'http://127.0.0.1/{{system__env_path}}' }, true), [])
    assert.deepEqual(wrongPlaces({ url: 'http://127.0.0.1:{{system__env_port}}/' }, true), [])
    assert.deepEqual(wrongPlaces({ url: 'http://example.com/' }, true), ['body config url'])
    for (const hidden of ['localhost.', '127.0.0.', '127.0.0.1', '']) {
      const url = `http://${hidden}{{system__env_host}}/`
      assert.deepEqual(wrongPlaces({ url }, true), ['body config url'], url)
    }
  })

  it('of a change has what may be changed, and nothing else', () => {
    assert.deepEqual(ConfigChange.parse({ ...WELL, url: 1, transport: 'x' }), {})
  })
})
