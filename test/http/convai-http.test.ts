/** What convai does with any request, whatever it is about (`convai-api.md` §7; `surfaces.md` D10, D20). */
import { ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createKey, createServer } from '../support/admin.ts'
import { convaiOf, memberKey, type Convai } from '../support/convai.ts'
import { sessionOf } from '../support/principals.ts'
import { OPERATOR_TOKEN, startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'
import { serverFile } from '../support/servers.ts'

const NOWHERE = '/v1/convai/mcp-servers/mcps_00000000000000000000/tools'

/** The refusal an answer is: its status, with type, code and the older word. */
const refusal = ({ status, json }: Answer) => {
  const { type, code, status: word, param } = json.detail
  return { status, type, code, word, param }
}

function unauthorized(code: string, word = code) {
  return { status: 401, type: 'authentication_error', code, word, param: null }
}

describe('A request to convai', () => {
  let rollcall: Rollcall
  let convai: Convai
  before(async () => {
    rollcall = await startRollcall()
    convai = convaiOf(rollcall, (await memberKey(rollcall)).secret)
  })
  after(() => rollcall.close())

  const get = (headers: Record<string, string>) =>
    convaiOf(rollcall, '').ask('GET', NOWHERE, undefined, headers)

  it('is 401 without a key', async () => {
    const answer = await rollcall.send(NOWHERE)
    assert.deepEqual(refusal(answer), unauthorized('needs_authorization'))
    assert.equal(answer.json.detail.request_id, answer.headers.get('x-request-id'))
  })

  it('is 401 with any other credential than the key of a member', async () => {
    const { id } = await createServer(rollcall, serverFile('Any', [], { auth: 'key' }))
    const agent = await rollcall.admin('POST', '/keys', { name: 'agent', kind: 'agent' })
    const member = await memberKey(rollcall)
    const session = await sessionOf(rollcall, { id: member.principal })
    await rollcall.admin('DELETE', `/keys/${member.id}`)
    const mistyped = convai.key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    const { secret: ofServer } = await createKey(rollcall, id)
    const others = [
      agent.json.secret,
      ofServer,
      OPERATOR_TOKEN,
      session,
      mistyped,
      member.secret,
      '',
    ]
    for (const other of others) {
      const expected = unauthorized('invalid_api_key')
      assert.deepEqual(refusal(await get({ 'xi-api-key': other })), expected, other)
    }
    for (const header of ['x-api-key', 'authorization']) {
      const value = header === 'authorization' ? `Bearer ${convai.key}` : convai.key
      const answer = await rollcall.send(NOWHERE, { headers: { [header]: value } })
      assert.deepEqual(refusal(answer), unauthorized('needs_authorization'))
    }
  })

  it('is an error of the official client with all that was told', async () => {
    const { sdk } = convaiOf(rollcall, 'sk-rc-wrong')
    await assert.rejects(sdk.conversationalAi.mcpServers.tools.list('mcps_0', {}), (error) => {
      assert.ok(error instanceof ElevenLabsError)
      const { detail } = error.body as { detail: { code: string; request_id: string } }
      assert.deepEqual([error.statusCode, detail.code], [401, 'invalid_api_key'])
      assert.equal(error.rawResponse?.headers.get('x-request-id'), detail.request_id)
      return true
    })
  })

  it('is 401 with two different credentials, and served with the same one twice', async () => {
    const two = await get({ 'xi-api-key': convai.key, 'x-api-key': OPERATOR_TOKEN })
    assert.deepEqual(refusal(two), unauthorized('two_credentials'))
    const same = await get({ 'xi-api-key': convai.key, authorization: `Bearer ${convai.key}` })
    assert.equal(same.status, 404)
  })

  it('is 403 from who is suspended', async () => {
    const { principal, secret } = await memberKey(rollcall, { role: 'member' })
    const status = 'suspended'
    await rollcall.admin('PATCH', `/members/${principal}`, { status })
    assert.deepEqual(refusal(await get({ 'xi-api-key': secret })), {
      status: 403,
      type: 'authorization_error',
      code: 'member_suspended',
      word: 'member_suspended',
      param: null,
    })
  })

  it('is 404 about what is not there, the same for what has another form', async () => {
    const answers = [await convai.ask('GET', NOWHERE)]
    answers.push(await convai.ask('GET', '/v1/convai/mcp-servers/a%2Fb%20c/tools'))
    for (const answer of answers) {
      const code = 'mcp_server_not_found'
      const expected = { status: 404, type: 'not_found', code, word: code, param: null }
      assert.deepEqual(refusal(answer), expected)
    }
  })

  it('is 404 at a path that is nobody’s, and 405 with Allow by a method that a path has not', async () => {
    for (const path of ['/v1/convai/agents', '/v1/convai/mcp-servers//tools', '/v1/convai/%ff']) {
      const answer = await convai.ask('GET', path)
      assert.equal(answer.status, 404, path)
      assert.equal(answer.json.detail.code, 'endpoint_not_found')
    }
    const answer = await convai.ask('PUT', NOWHERE)
    assert.equal(answer.status, 405)
    assert.equal(answer.headers.get('allow'), 'GET')
    assert.equal(answer.json.detail.code, 'method_not_allowed')
  })

  it('is 401 before 422, and 422 before 404', async () => {
    const wrong = `${NOWHERE}?environment=a%20b`
    assert.equal((await rollcall.send(wrong)).status, 401)
    const answer = await convai.ask('GET', wrong)
    assert.equal(answer.status, 422)
    assert.deepEqual(
      answer.json.detail.map(({ type, loc }: { type: string; loc: unknown }) => [type, loc]),
      [['string_pattern_mismatch', ['query', 'environment']]],
    )
  })

  const deep = `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`
  const BODIES: [what: string, body: string, type: string, loc: unknown[], msg: RegExp][] = [
    ['is not JSON', '{"config":', 'json_invalid', ['body'], /JSON decode error/],
    ['is a list', '[]', 'dict_type', ['body'], /valid dictionary/],
    ['nests too deep', deep, 'value_error', ['body'], /nests deeper than 64/],
    [
      'holds a number that would be changed',
      '{"config":{"a":[12345678901234567890]}}',
      'value_error',
      ['body', 'config', 'a', 0],
      /12345678901234567890/,
    ],
  ]
  for (const [what, body, type, loc, msg] of BODIES) {
    it(`is 422 with a body that ${what}`, async () => {
      const { status, json } = await convai.ask('POST', '/v1/convai/mcp-servers', body)
      assert.equal(status, 422)
      const [wrong] = json.detail
      assert.deepEqual([wrong.type, wrong.loc], [type, loc])
      assert.match(wrong.msg, msg)
    })
  }

  it('is 422 with a body that says it is something else, 413 with more than 4 MiB', async () => {
    const path = '/v1/convai/mcp-servers'
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const [wrong] = (await convai.ask('POST', path, 'a=b', form)).json.detail
    assert.match(wrong.msg, /Content-Type/)
    const large = await convai.ask('POST', path, 'x'.repeat(4 * 1024 * 1024 + 1))
    assert.deepEqual([large.status, large.json.detail.code], [413, 'body_too_large'])
  })

  it('has an id of its own', async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { headers } = await convai.ask('GET', NOWHERE)
        return headers.get('x-request-id')
      }),
    )
    assert.equal(new Set(ids).size, 10)
  })

  it('may come from a page, which reads the answer and its id', async () => {
    const origin = 'http://localhost:5173'
    const asked = {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'xi-api-key, x-fern-language, x-other',
    }
    const preflight = await rollcall.send(NOWHERE, { method: 'OPTIONS', headers: asked })
    assert.equal(preflight.status, 204)
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? ''
    assert.match(allowed, /xi-api-key/)
    assert.match(allowed, /x-fern-language/)
    assert.doesNotMatch(allowed, /x-other/)
    for (const key of [convai.key, '']) {
      const headers = { origin, 'xi-api-key': key }
      const answer = await rollcall.send(NOWHERE, { headers })
      assert.equal(answer.headers.get('access-control-allow-origin'), origin)
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /X-Request-Id/)
    }
    const elsewhere = await get({ origin: 'https://evil.example', 'xi-api-key': convai.key })
    assert.equal(elsewhere.status, 403)
    assert.equal(elsewhere.json.detail.code, 'origin_not_allowed')
    assert.equal(elsewhere.headers.get('access-control-allow-origin'), null)
  })
})

describe('CONVAI_LIMIT', () => {
  it('counts each request of a key, and answers 429 with when to come again', async () => {
    const rollcall = await startRollcall({ vars: { CONVAI_LIMIT: '2' } })
    try {
      const [one, other] = [await memberKey(rollcall), await memberKey(rollcall)]
      const statuses = []
      for (let n = 0; n < 3; n++) {
        statuses.push((await convaiOf(rollcall, one.secret).ask('GET', NOWHERE)).status)
      }
      assert.deepEqual(statuses, [404, 404, 429])
      const refused = await convaiOf(rollcall, one.secret).ask('GET', NOWHERE)
      const code = 'rate_limit_exceeded'
      const expected = { status: 429, type: 'rate_limit_error', code, word: code, param: null }
      assert.deepEqual(refusal(refused), expected)
      assert.equal(refused.headers.get('retry-after'), '60')
      assert.equal((await convaiOf(rollcall, other.secret).ask('GET', NOWHERE)).status, 404)
    } finally {
      await rollcall.close()
    }
  })
})
