/** The acceptance checks that come straight from the hosted surface's own documentation. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { legacy } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

const WEATHER = join(import.meta.dirname, '../../src/samples/weather.json')
const PATH = '/mcp/my-weather-tools/a1b2c3d4e5f6a1b2'
const SERVER = '/servers/a1b2c3d4e5f6a1b2'

const SEED_ANSWER = {
  jsonrpc: '2.0',
  id: 3,
  result: {
    tools: [
      {
        name: 'get_weather',
        description: 'Get current weather conditions for a city',
        inputSchema: {
          type: 'object',
          properties: {
            city: { type: 'string', description: 'The city name to get weather for' },
          },
          required: ['city'],
        },
      },
      {
        name: 'get_forecast',
        description: 'Get a 5-day weather forecast for a city',
        inputSchema: {
          type: 'object',
          properties: {
            city: { type: 'string', description: 'The city name' },
            units: {
              type: 'string',
              enum: ['metric', 'imperial'],
              default: 'metric',
              description: 'Temperature units',
            },
          },
          required: ['city'],
        },
      },
    ],
  },
}

const SEED_BODY = `{
    "jsonrpc": "2.0",
    "id": 3,
    "method": "tools/list",
    "params": {}
  }`

describe('The hosted surface as its documentation shows it', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
    await rollcall.admin('PUT', SERVER, await readFile(WEATHER, 'utf8'))
  })
  after(() => rollcall.close())

  const names = async () => {
    const { json } = await rollcall.post(PATH, legacy('tools/list'))
    return json.result.tools.map(({ name }: { name: string }) => name)
  }

  it('U.5 #1: answers the documented curl with exactly the documented JSON', async () => {
    const { stdout } = await promisify(execFile)('curl', [
      '-s',
      '-X',
      'POST',
      '-H',
      'Content-Type: application/json',
      '-H',
      'Mcp-Session-Id: your_session_id',
      '-d',
      SEED_BODY,
      rollcall.url + PATH,
    ])
    assert.equal(stdout, JSON.stringify(SEED_ANSWER))
  })

  it('U.5 #3: answers the same without a session id, and mints none', async () => {
    const answer = await rollcall.post(PATH, SEED_BODY)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('mcp-session-id'), null)
    assert.equal(answer.text, JSON.stringify(SEED_ANSWER))
  })

  it('U.5 #2: hides a paused tool, and answers its call like that of a made-up one', async () => {
    // Without its city, so that nobody is asked for the weather.
    const call = async (name: string) =>
      (await rollcall.post(PATH, legacy('tools/call', { name }))).text
    assert.match(await call('get_forecast'), /city/)
    await rollcall.admin('PATCH', `${SERVER}/tools/get_forecast`, { status: 'paused' })
    assert.deepEqual(await names(), ['get_weather'])
    assert.equal(
      await call('get_forecast'),
      (await call('made_up')).replaceAll('made_up', 'get_forecast'),
    )
    assert.match(
      await call('get_forecast'),
      /"code":-32602,"message":"Tool not found: get_forecast"/,
    )
    await rollcall.admin('PATCH', `${SERVER}/tools/get_forecast`, { status: 'active' })
  })

  it('U.5 #2: turns the list when the tools are reordered', async () => {
    await rollcall.admin('POST', `${SERVER}/tools/reorder`, { names: ['get_forecast'] })
    assert.deepEqual(await names(), ['get_forecast', 'get_weather'])
  })

  it('U.5 #11: answers for an id of another slug as for one that is made up', async () => {
    const other = await rollcall.post('/mcp/other-slug/a1b2c3d4e5f6a1b2', legacy('tools/list'))
    const madeUp = await rollcall.post(
      '/mcp/my-weather-tools/ffffffffffffffff',
      legacy('tools/list'),
    )
    const noPath = await rollcall.post('/nowhere', legacy('tools/list'))
    assert.equal(other.status, 404)
    assert.deepEqual([other.text, other.status], [madeUp.text, madeUp.status])
    assert.deepEqual([other.text, other.status], [noPath.text, noPath.status])
  })
})
