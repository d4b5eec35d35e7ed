/** Servers at their slug alone, settings that are wrong, and the rules outside development. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { legacy } from '../support/messages.ts'
import { startRollcall, type RollcallOptions } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

async function withRollcall(
  options: RollcallOptions,
  use: (rollcall: Awaited<ReturnType<typeof startRollcall>>) => Promise<void>,
): Promise<void> {
  const rollcall = await startRollcall(options)
  try {
    await use(rollcall)
  } finally {
    await rollcall.close()
  }
}

describe('A vanity server', () => {
  it('D23: answers at its slug while it is one, and at its id as ever', async () => {
    await withRollcall({}, async (rollcall) => {
      const made = await rollcall.admin('POST', '/servers', serverFile('Fancy', [tool('a')]))
      const { id } = made.json
      const at = async (path: string) => (await rollcall.post(path, legacy('ping'))).status
      assert.deepEqual([await at('/mcp/fancy'), await at(`/mcp/fancy/${id}`)], [404, 200])
      await rollcall.admin('PATCH', `/servers/${id}`, { vanity: true })
      assert.deepEqual([await at('/mcp/fancy'), await at(`/mcp/fancy/${id}`)], [200, 200])
      await rollcall.admin('PATCH', `/servers/${id}`, { vanity: null })
      assert.deepEqual([await at('/mcp/fancy'), await at(`/mcp/fancy/${id}`)], [404, 200])
    })
  })
})

describe('A deployment outside development', () => {
  it('A29, D25: lets any http(s) origin call a server without a list, and null nowhere unlisted', async () => {
    await withRollcall({ vars: { DEVELOPMENT: '' } }, async (rollcall) => {
      const { endpoint } = (await rollcall.admin('POST', '/servers', serverFile('Open'))).json
      const at = async (origin: string) =>
        (await rollcall.post(endpoint, legacy('ping'), { origin })).status
      assert.deepEqual(
        await Promise.all(['https://app.example.com', 'null', 'file://'].map(at)),
        [200, 403, 403],
      )
    })
  })

  it('D25: lets no origin that is not listed administer', async () => {
    const vars = { DEVELOPMENT: '', ALLOWED_ORIGINS: 'https://console.example.com' }
    await withRollcall({ vars }, async (rollcall) => {
      const at = async (origin: string) =>
        (await rollcall.admin('GET', '/servers', undefined, { origin })).status
      assert.equal(await at('https://console.example.com'), 200)
      assert.equal(await at('https://evil.example.com'), 403)
      assert.equal((await rollcall.admin('GET', '/servers')).status, 200)
    })
  })
})

describe('Settings', () => {
  it('name the wrong one in the answer to the first request, never its value', async () => {
    const secrets = { OPERATOR_TOKEN: 'too-short', SEAL_KEYS: 'k1:c2hvcnQ=' }
    await withRollcall({ secrets, vars: { PUBLIC_URL: 'nonsense' } }, async (rollcall) => {
      const { status, text, json } = await rollcall.send('/health')
      assert.deepEqual([status, json.error.code], [500, 'misconfigured'])
      for (const name of ['OPERATOR_TOKEN', 'SEAL_KEYS', 'PUBLIC_URL'])
        assert.match(text, new RegExp(name))
      assert.doesNotMatch(text, /too-short|c2hvcnQ|nonsense/)
    })
  })

  it('make absolute endpoints of PUBLIC_URL, never of the Host', async () => {
    await withRollcall({ vars: { PUBLIC_URL: 'https://mcp.example.com' } }, async (rollcall) => {
      const { endpoint } = (await rollcall.admin('POST', '/servers', serverFile('Open'))).json
      assert.match(endpoint, /^https:\/\/mcp\.example\.com\/mcp\/open\/[0-9a-f]{16}$/)
    })
  })
})
