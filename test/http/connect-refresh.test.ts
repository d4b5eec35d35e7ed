import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { Person } from '../support/acme.ts'
import { newBrowser } from '../support/browser.ts'
import { makeConnector, startConnecting, whoCalls, type Connecting } from '../support/connecting.ts'
import { eventually } from '../support/eventually.ts'
import { untilListed } from '../support/gateway-client.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { startOAuthServer, type OAuthServer } from '../support/upstreams/oauth-server.ts'

let rollcall: Rollcall
let provider: OAuthServer
let acme: Connecting
let server: string

before(async () => {
  provider = await startOAuthServer()
  rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
  acme = await startConnecting(rollcall, 'acme')
  server = await makeConnector(rollcall, acme, provider)
})
after(async () => {
  await rollcall.close()
  await provider.close()
})
beforeEach(() => {
  Object.assign(provider.now, {
    expiresInSeconds: 3600,
    refreshes: true,
    refresh: 'good',
    refreshGate: undefined,
  })
})

/** A member whose token lives for so long, from then on an hour. */
async function connected(seconds: number | undefined): Promise<Person> {
  provider.now.expiresInSeconds = seconds
  const ann = await acme.member()
  const { url } = await acme.link({ server, owner: ann.id })
  const browser = newBrowser()
  const done = await browser.through(await browser.open(url), { act: 'connect' })
  assert.equal(done.status, 200, done.text)
  await untilListed(rollcall, ann.key, ['notes__whoami'])
  provider.now.expiresInSeconds = 3600
  return ann
}

const refreshes = () =>
  provider.asked.filter(({ grant_type }) => grant_type === 'refresh_token').length

/** Keeps refreshes waiting until they are let on; `untilAsked` is over when one has come. */
function shutRefreshes() {
  const earlier = refreshes()
  const gate = Promise.withResolvers<void>()
  provider.now.refreshGate = gate.promise
  const untilAsked = () =>
    eventually(
      async () => refreshes(),
      (count) => count > earlier,
    )
  return { open: () => gate.resolve(), untilAsked }
}

const stateOf = async (ann: Person) =>
  (await acme.ask('GET', `/accounts?owner=${ann.id}`)).json.items[0].state

describe('A token that ends', () => {
  it('is refreshed before that, once', async () => {
    const ann = await connected(30)
    const earlier = refreshes()
    assert.equal(await whoCalls(rollcall, ann), 'ann')
    assert.equal(await whoCalls(rollcall, ann), 'ann')
    assert.equal(refreshes(), earlier + 1)
    const form = provider.asked.at(-1)
    assert.match(form?.['refresh_token'] ?? '', /^refresh-/)
  })

  it('is refreshed by one of many calls at once, and the others wait for it', async () => {
    const ann = await connected(0)
    const earlier = refreshes()
    const { open, untilAsked } = shutRefreshes()
    const calls = Array.from({ length: 5 }, () => whoCalls(rollcall, ann))
    await untilAsked()
    open()
    assert.deepEqual(await Promise.all(calls), Array(5).fill('ann'))
    assert.equal(refreshes(), earlier + 1)
    assert.equal(provider.refused.length, 0)
  })

  it('keeps no call waiting while it is good, however slow the refresh is', async () => {
    const ann = await connected(30)
    const { open, untilAsked } = shutRefreshes()
    const first = whoCalls(rollcall, ann)
    await untilAsked()
    assert.equal(await whoCalls(rollcall, ann), 'ann')
    open()
    assert.equal(await first, 'ann')
  })

  // A rename ended the lease, and with it were thrown away the tokens that were being had.
  it('is kept where its account is renamed while it is refreshed', async () => {
    const ann = await connected(0)
    const earlier = refreshes()
    const { open, untilAsked } = shutRefreshes()
    const first = whoCalls(rollcall, ann)
    await untilAsked()
    const { items } = (await acme.ask('GET', `/accounts?owner=${ann.id}`)).json
    const patched = await acme.ask('PATCH', `/accounts/${items[0].id}`, { alias: 'renamed' })
    assert.equal(patched.status, 200, patched.text)
    open()
    assert.equal(await first, 'ann')
    assert.equal(await whoCalls(rollcall, ann), 'ann')
    assert.equal(refreshes(), earlier + 1)
  })

  it('is not put in place of one that was connected meanwhile', async () => {
    const ann = await connected(0)
    const { open, untilAsked } = shutRefreshes()
    const first = whoCalls(rollcall, ann)
    await untilAsked()
    provider.now.user = 'anew'
    const { url } = await acme.link({ server, owner: ann.id })
    const browser = newBrowser()
    await browser.through(await browser.open(url), { act: 'connect' })
    provider.now.user = 'ann'
    open()
    assert.equal(await first, 'anew')
    assert.equal(await whoCalls(rollcall, ann), 'anew')
  })

  it('is the end of the account where the refresh is refused', async () => {
    const ann = await connected(0)
    provider.now.refresh = 'invalid_grant'
    assert.equal(await whoCalls(rollcall, ann), 'needs_reauth')
    assert.equal(await stateOf(ann), 'needs_reauth')
    const { items } = (await acme.ask('GET', '/audit')).json
    assert.ok(items.some(({ act }: { act: string }) => act === 'accounts.needs_reauth'))
    assert.equal(await whoCalls(rollcall, ann), 'needs_reauth')
  })

  it('is not the end of the account where nobody answers', async () => {
    const ann = await connected(0)
    provider.now.refresh = 'down'
    assert.equal(await whoCalls(rollcall, ann), 'account_unavailable')
    assert.equal(await stateOf(ann), 'connected')
  })

  it('serves to its end where it cannot be refreshed, and no longer', async () => {
    provider.now.refreshes = false
    const ann = await connected(30)
    assert.equal(await whoCalls(rollcall, ann), 'ann')
    assert.equal(await stateOf(ann), 'connected')
    const bob = await connected(0)
    assert.equal(await whoCalls(rollcall, bob), 'needs_reauth')
  })

  it('is left alone where nobody said when', async () => {
    const ann = await connected(undefined)
    const earlier = refreshes()
    assert.equal(await whoCalls(rollcall, ann), 'ann')
    assert.equal(refreshes(), earlier)
  })

  // A member wrote by hand where its token is refreshed and with which secret: it was sent there.
  it('is refreshed with no secret that whoever wrote a credential by hand has named', async () => {
    const ann = await connected(3600)
    const { items } = (await acme.ask('GET', `/accounts?owner=${ann.id}`)).json
    const thief = await startOAuthServer()
    const credential = {
      token: 't',
      expires_at: '1',
      refresh_token: 'r',
      token_url: `${thief.url}/token`,
      client: JSON.stringify({ id: 'x', auth: 'body', secretName: 'client' }),
    }
    const patched = await rollcall.send(`/api/v1/accounts/${items[0].id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ credential }),
    })
    await whoCalls(rollcall, ann)
    await thief.close()
    assert.deepEqual(thief.asked, [])
    assert.equal(patched.status, 422, patched.text)
  })

  it("is refreshed for an operator's try, too", async () => {
    provider.now.expiresInSeconds = 0
    const { url } = await acme.link({ server })
    const browser = newBrowser()
    await browser.through(await browser.open(url), { act: 'connect' })
    provider.now.expiresInSeconds = 3600
    const earlier = refreshes()
    const tried = await acme.ask('POST', `/servers/${server}/tools/whoami/call`, {})
    assert.match(tried.text, /ann/)
    assert.equal(refreshes(), earlier + 1)
  })
})
