import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Residency } from '../../src/surfaces/residency.ts'
import { OPERATOR_TOKEN, SEAL_KEYS, startRollcall, type Rollcall } from '../support/rollcall.ts'

const NAME_KEY = Buffer.alloc(32, 7).toString('base64')
const STRICT = { REGION: 'in', LOCATION_HINT: 'apac', RESIDENCY: 'strict' }

describe('GET /residency', () => {
  let rollcall: Rollcall
  before(async () => {
    const vars = { ...STRICT, DEVELOPMENT: '' }
    rollcall = await startRollcall({ vars, secrets: { NAME_KEY } })
  })
  after(() => rollcall.close())

  it('tells everybody what this deployment promises, by its settings', async () => {
    const { status, headers, json } = await rollcall.send('/residency')
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    const { data, ...about } = Residency.parse(json)
    assert.deepEqual(about, {
      region: 'in',
      jurisdiction: '',
      locationHint: 'apac',
      residency: 'strict',
      development: false,
    })
    assert.equal(data.find(({ kind }) => kind === 'sessions')?.guarantee, 'best effort')
  })

  it('tells no secret', async () => {
    const { text } = await rollcall.send('/residency')
    for (const secret of [OPERATOR_TOKEN, NAME_KEY, SEAL_KEYS.replace('k1:', '')]) {
      assert.ok(!text.includes(secret))
    }
  })
})

describe('a deployment whose region needs a jurisdiction and has none', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({ vars: { REGION: 'eu', DEVELOPMENT: '' } })
  })
  after(() => rollcall.close())

  it('serves nothing, and says why', async () => {
    for (const path of ['/residency', '/health', '/mcp', '/api/v1/servers']) {
      const { status, json } = await rollcall.send(path)
      assert.equal(status, 500)
      assert.deepEqual(json, {
        error: {
          code: 'misconfigured',
          message:
            'JURISDICTION must be eu in region eu: without it nothing keeps what is stored there',
        },
      })
    }
  })
})
