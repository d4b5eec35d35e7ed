/** That the official client comes again when it is told to, by real objects and a limiter that fails. */
import { ElevenLabsClient, ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { readSettings, type Env } from '../../../src/env.ts'
import { convai } from '../../../src/surfaces/convai/convai.ts'
import { createPlatform } from '../../../src/surfaces/platform.ts'
import { memberKey } from '../../support/convai.ts'
import { OPERATOR_TOKEN, SEAL_KEYS, startRollcall, type Rollcall } from '../../support/rollcall.ts'

const URL_HERE = 'https://mcp.example.com'
const TOOLS_OF = 'mcps_00000000000000000000'

describe('The official client', () => {
  let rollcall: Rollcall
  let env: Env
  let key: string
  before(async () => {
    rollcall = await startRollcall()
    key = (await memberKey(rollcall)).secret
    const settings = { OPERATOR_TOKEN, SEAL_KEYS, CONVAI_LIMIT: '60' }
    const limiter = { LIMITER: { limit: async () => ({ success: true }) } }
    env = { ...(await rollcall.harness.getWorker<Env>().getEnv()), ...settings, ...limiter }
  })
  after(() => rollcall.close())

  /** A client of an isolate with these bindings, and the statuses it is answered. */
  const clientOf = (bindings: object) => {
    const platform = createPlatform({ ...env, ...bindings }, readSettings(env))
    const statuses: number[] = []
    const ask: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      const visit = { request, waitUntil: () => {}, address: '127.0.0.1' }
      const response = await convai(platform, visit)
      statuses.push(response.status)
      return response
    }
    const client = new ElevenLabsClient({ apiKey: key, baseUrl: URL_HERE, fetch: ask })
    return { client, statuses }
  }
  /** Lets no time pass where whole seconds are waited for, and gives what was. */
  const hurry = ({ mock }: TestContext): number[] => {
    const delays: number[] = []
    const real = globalThis.setTimeout
    const quick = (run: () => void, ms = 0) => {
      const isWait = [2000, 60_000].includes(ms)
      if (isWait) delays.push(ms)
      return real(run, isWait ? 0 : ms)
    }
    mock.method(globalThis, 'setTimeout', quick as typeof setTimeout)
    return delays
  }
  const failsOnce = <T>(first: T, then: T): (() => T) => {
    let count = 0
    return () => (count++ === 0 ? first : then)
  }

  it('comes again after a minute when it is beyond its limit', async (context) => {
    const next = failsOnce({ success: false }, { success: true })
    const { client, statuses } = clientOf({ LIMITER: { limit: async () => next() } })
    const delays = hurry(context)
    const asking = client.conversationalAi.mcpServers.tools.list(TOOLS_OF, {})
    await assert.rejects(asking, { statusCode: 404 })
    assert.deepEqual(statuses, [429, 404])
    assert.deepEqual(delays, [60_000])
  })

  it('comes again after two seconds when nobody can be asked', async (context) => {
    let asked: readonly number[] = []
    const away = (binding: string) =>
      new Proxy(env[binding] as object, {
        get: (target, name) => {
          if (asked.length === 0) throw new Error(`${binding} is away`)
          return Reflect.get(target, name, target) as unknown
        },
      })
    const bindings = { CATALOG: away('CATALOG'), DIRECTORY: away('DIRECTORY') }
    const { client, statuses } = clientOf(bindings)
    asked = statuses
    const delays = hurry(context)
    const asking = client.conversationalAi.mcpServers.tools.list(TOOLS_OF, {})
    await assert.rejects(asking, { statusCode: 404 })
    assert.deepEqual(statuses, [503, 404])
    assert.deepEqual(delays, [2000])
  })

  it('gives up after its third try, with what it was told', async (context) => {
    const { client, statuses } = clientOf({ LIMITER: { limit: async () => ({ success: false }) } })
    hurry(context)
    const asking = client.conversationalAi.mcpServers.tools.list(TOOLS_OF, {})
    await assert.rejects(asking, (error) => {
      assert.ok(error instanceof ElevenLabsError)
      assert.equal(error.statusCode, 429)
      const { detail } = error.body as { detail: { code: string } }
      assert.equal(detail.code, 'rate_limit_exceeded')
      assert.equal(error.rawResponse?.headers.get('retry-after'), '60')
      return true
    })
    assert.deepEqual(statuses, [429, 429, 429])
  })
})
