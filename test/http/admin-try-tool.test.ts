import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createServer, refusal, wrongFields } from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { sendRaw } from '../support/raw-client.ts'
import { OPERATOR_TOKEN, startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { ENDLESS, talking } from '../support/talking.ts'

const said = (text: string) => ({ content: [{ type: 'text', text }] })
const TOOLS = [
  tool('weather', {
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string', 'x-mcp-header': 'City' },
        units: { type: 'string', default: 'metric' },
      },
      required: ['city'],
    },
    handler: {
      kind: 'static',
      result: { ...said('{city} in {units}'), structuredContent: ['{city}'] },
    },
  }),
  tool('needy', { requires: { sampling: {} } }),
  tool('paused', { status: 'paused' }),
]

describe('POST /api/v1/servers/{id}/tools/{name}/call', () => {
  let rollcall: Rollcall
  let id: string
  before(async () => {
    rollcall = await startRollcall()
    ;({ id } = await createServer(rollcall, serverFile('Tried', TOOLS)))
  })
  after(() => rollcall.close())

  const attempt = (name: string, body: unknown = {}, server = id) =>
    rollcall.admin('POST', `/servers/${server}/tools/${name}/call`, body)

  it('answers the result as the newest revision has it, defaults filled in', async () => {
    const { status, json } = await attempt('weather', { arguments: { city: 'Bonn' } })
    assert.equal(status, 200)
    assert.deepEqual(json, { ...said('Bonn in metric'), structuredContent: ['Bonn'] })
  })

  it('answers wrong arguments as a client is answered', async () => {
    for (const body of [{}, { arguments: { city: 7 } }]) {
      const { status, json } = await attempt('weather', body)
      assert.equal(status, 200)
      assert.equal(json.isError, true)
      assert.match(json.content[0].text, /^Invalid arguments for weather:\n/)
    }
  })

  it('refuses what is no call, each for what it is wrong with', async () => {
    assert.deepEqual(refusal(await attempt('none')), { status: 404, code: 'tool_not_found' })
    const away = await attempt('weather', {}, '0123456789abcdef')
    assert.deepEqual(refusal(away), { status: 404, code: 'server_not_found' })
    assert.deepEqual(refusal(await attempt('paused')), { status: 409, code: 'tool_paused' })
    const needy = await attempt('needy')
    assert.deepEqual(refusal(needy), { status: 409, code: 'missing_client_capability' })
    assert.match(needy.json.error.message, /sampling/)
    for (const args of [[], 'text', null, 1]) {
      assert.deepEqual(wrongFields(await attempt('weather', { arguments: args })), ['arguments'])
    }
    assert.deepEqual(wrongFields(await attempt('weather', { args: {} })), ['args'])
    let deep: unknown = 1
    for (let n = 0; n < 200; n++) deep = [deep]
    const answer = await attempt('weather', { arguments: { city: deep } })
    assert.deepEqual(refusal(answer), { status: 422, code: 'invalid_params' })
  })

  it('sees every write at once', async () => {
    const { id: server } = await createServer(rollcall, serverFile('Written', [tool('a')]))
    for (let n = 0; n < 5; n++) {
      const handler = { kind: 'static', result: said(`version ${n}`) }
      await rollcall.admin('PATCH', `/servers/${server}/tools/a`, { handler })
      assert.deepEqual((await attempt('a', {}, server)).json, said(`version ${n}`))
    }
  })

  it('tries the tools of drafts, paused servers and servers that open to keys', async () => {
    for (const members of [{ status: 'draft' }, { status: 'paused' }, { auth: 'key' }]) {
      const made = await createServer(rollcall, serverFile('Closed', [tool('a')], members))
      assert.deepEqual((await attempt('a', {}, made.id)).json, said('a ran'))
    }
  })

  it('answers a call that takes long, and stops one whose operator left', async () => {
    const slow = talking('slow', { waitMs: 1500 })
    const { id: server } = await createServer(rollcall, serverFile('Slow', [slow, ENDLESS]))
    const answer = await attempt('slow', {}, server)
    assert.deepEqual([answer.status, answer.json], [200, said('slow done')])
    const left = await sendRaw(`${rollcall.url}/api/v1/servers/${server}/tools/endless/call`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        'content-type': 'application/json',
      },
      body: {},
    })
    await left.until('HTTP/1.1 200')
    left.socket.destroy()
    const { json } = await eventually(
      () => rollcall.admin('GET', `/calls?server=${server}&tool=endless`),
      ({ json: { items } }) => items.length > 0,
    )
    assert.equal(json.items[0].outcome, 'cancelled')
  })

  it('is logged as a call of the operator', async () => {
    const { id: server } = await createServer(rollcall, serverFile('Logged', [tool('a')]))
    await attempt('a', {}, server)
    const { json } = await eventually(
      () => rollcall.admin('GET', `/calls?server=${server}`),
      (answer) => answer.json.items.length > 0,
    )
    const [{ tool: name, caller, outcome }] = json.items
    assert.deepEqual({ name, caller, outcome }, { name: 'a', caller: 'operator', outcome: 'ok' })
  })
})
