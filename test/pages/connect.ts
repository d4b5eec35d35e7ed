/** Connecting in a browser: by OAuth, on both loopback names, by a form, and what goes wrong. */
import assert from 'node:assert/strict'
import { createServer, inOrganization } from '../support/admin.ts'
import { makeConnector, startConnecting } from '../support/connecting.ts'
import { startRollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { startOAuthServer } from '../support/upstreams/oauth-server.ts'
import type { Screen } from './pages.ts'

const FIELDS = [
  { name: 'user', label: 'User name', secret: false },
  { name: 'password', label: 'Password', secret: true },
]

/** Walks through all of it. */
export async function connect({ page, seen }: Screen): Promise<void> {
  const provider = await startOAuthServer()
  const rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
  try {
    const acme = await startConnecting(rollcall, 'acme')
    const server = await makeConnector(rollcall, acme, provider)
    const { id: owner } = await acme.member({ name: 'Ann Example' })

    // Cookies with Secure and __Host- are kept on plain http where that is this machine.
    for (const host of ['127.0.0.1', 'localhost']) {
      const { url, id } = await acme.link({ server, owner, alias: 'work' })
      await page.goto(url.replace('127.0.0.1', host))
      const text = await seen('connect')
      for (const told of ['acme', 'the member Ann Example', 'Notes', 'work', 'notes:read']) {
        assert.ok(text.includes(told), `${told} in ${text}`)
      }
      await page.getByRole('button', { name: 'Continue to Notes' }).click()
      await page.waitForURL(/\/oauth\/callback\?/)
      assert.match(
        await seen('connected'),
        /Notes is connected for the member Ann Example, as work/,
      )
      assert.equal((await acme.stateOf(id)).state, 'connected')
      await page.goto(url.replace('127.0.0.1', host))
      assert.match(await seen('connected-already'), /connected already/)
    }

    provider.now.denies = true
    await page.goto((await acme.link({ server, owner, alias: 'work' })).url)
    await page.getByRole('button').click()
    await page.waitForURL(/\/oauth\/callback\?/)
    assert.match(await seen('denied'), /said no; ask for a new link/)
    await page.goto(`${rollcall.url}/connect?link=x`)
    assert.match(await seen('unknown'), /not one that was made here/)

    const auth = { type: 'basic', username: { account: 'user' }, password: { account: 'password' } }
    const look = tool('look', {
      handler: { kind: 'http', method: 'GET', url: `${provider.url}/form`, auth },
    })
    const file = serverFile('W'.repeat(90), [look], {
      account: 'required',
      auth: 'key',
      connect: { type: 'form', fields: FIELDS },
    })
    const form = await createServer(rollcall, file, inOrganization(acme.organization))
    const { id, url } = await acme.link({ server: form.id, alias: 'a\u202Eb'.repeat(20) })
    await page.goto(url)
    const text = await seen('form')
    assert.match(text, /the organization acme/)
    assert.doesNotMatch(text, /\u202E/)
    await page.getByLabel('User name').fill('ann')
    await page.getByLabel('Password').fill('secret')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
    await seen('form-connected')
    assert.equal((await acme.stateOf(id)).state, 'connected')
  } finally {
    await rollcall.close()
    await provider.close()
  }
}
