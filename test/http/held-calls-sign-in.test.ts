/** The approval page where people sign in: its link decides nothing by itself (`surfaces.md` C48). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startAcme, type Person } from '../support/acme.ts'
import { newBrowser, type Browser } from '../support/browser.ts'
import { callTool } from '../support/gateway-client.ts'
import { hold, outcomeOf, startHeldWorld, type HeldWorld } from '../support/held.ts'
import { PUBLIC_URL } from '../support/signed-in.ts'
import { CLIENT, startOAuthServer, type OAuthServer } from '../support/upstreams/oauth-server.ts'

describe('The page of an approval link where people sign in', { concurrency: 1 }, () => {
  let provider: OAuthServer
  let world: HeldWorld
  let boss: Person
  before(async () => {
    provider = await startOAuthServer()
    world = await startHeldWorld({
      PUBLIC_URL,
      OAUTH_ISSUERS: JSON.stringify([{ issuer: provider.url, clientId: CLIENT.id }]),
      OAUTH_CLIENT_SECRETS: JSON.stringify({ [provider.url]: CLIENT.secret }),
    })
    boss = await world.acme.person('member', { role: 'admin', externalId: personOf('boss') })
    await world.acme.person('member', { externalId: personOf('mate') })
    const other = await startAcme(world.rollcall, 'https://api.example.com', 'other')
    await other.person('member', { role: 'owner', externalId: personOf('stranger') })
  })
  after(async () => {
    await world.close()
    await provider.close()
  })

  const personOf = (subject: string) => ({ issuer: provider.url, subject })
  const browserHere = () => newBrowser({ [PUBLIC_URL]: world.rollcall.url })
  const signIn = async (browser: Browser, url: string, user: string) => {
    provider.now.user = user
    return browser.through(await browser.open(url), { act: `sign-in ${provider.url}` })
  }
  /** Makes a held call, and gives its id and the link that its caller is told. */
  const held = async (to: string) => {
    const { result } = await callTool(world.rollcall, world.agent.key, 'bank__pay', { to })
    const { approval_id: id, url } = result.structuredContent
    assert.ok(result.content[0].text.includes(url))
    return { id, url }
  }

  it('is told to the caller, shows nothing to who has not signed in, and takes no decision', async () => {
    const { id, url } = await held('secret-recipient')
    assert.ok(url.startsWith(`${PUBLIC_URL}/approve?link=`))
    const browser = browserHere()
    const page = await browser.open(url)
    assert.equal(page.status, 200)
    assert.match(page.text, /Sign in as an admin/)
    assert.doesNotMatch(page.text, /secret-recipient|Bank/)
    assert.equal((await browser.send(page, { act: 'approve' })).status, 403)
    assert.equal(await outcomeOf(world, world.agent.key, id, 0), 'still_waiting')
  })

  it('is for an admin of the organization, who is shown the call and decides it as that one', async () => {
    const earlier = world.payments.paid.length
    const { id, url } = await held('ann')
    const browser = browserHere()
    const page = await signIn(browser, url, 'boss')
    assert.equal(page.status, 200, page.text)
    assert.match(page.text, /&quot;to&quot;: &quot;ann&quot;/)
    const waiting = outcomeOf(world, world.agent.key, id)
    assert.equal((await browser.send(page, { act: 'approve' })).status, 200)
    assert.equal(await waiting, '/pay/ann/5')
    assert.equal(world.payments.paid.length, earlier + 1)
    const { items } = await world.acme.admin('GET', '/audit?limit=3')
    assert.partialDeepStrictEqual(items[0], {
      act: 'approvals.approve',
      target: id,
      actor: boss.id,
    })
  })

  it('is for nobody else, whoever that is', async () => {
    const { id, url } = await held('eve')
    for (const user of ['mate', 'stranger', 'unknown']) {
      const browser = browserHere()
      const page = await signIn(browser, url, user)
      assert.equal(page.status, 403, user)
      assert.match(page.text, /You may not decide this/)
      assert.doesNotMatch(page.text, /eve/)
      assert.equal((await browser.send(page, { act: 'approve' })).status, 403)
    }
    assert.equal(await outcomeOf(world, world.agent.key, id, 0), 'still_waiting')
  })

  it('is for an admin no more once that is none, signed in as it may be', async () => {
    const subject = 'former'
    const former = await world.acme.person('member', {
      role: 'admin',
      externalId: personOf(subject),
    })
    const { id, url } = await held('bob')
    const browser = browserHere()
    const page = await signIn(browser, url, subject)
    assert.equal(page.status, 200)
    await world.acme.admin('PATCH', `/members/${former.id}`, { role: 'member' })
    assert.equal((await browser.send(page, { act: 'approve' })).status, 403)
    assert.equal(await outcomeOf(world, world.agent.key, id, 0), 'still_waiting')
  })

  it('gives the operator no link that decides without a sign-in', async () => {
    const id = await hold(world, world.agent.key)
    const { items } = await world.acme.admin('GET', '/approvals')
    const { url } = items.find((item: { id: string }) => item.id === id)
    const browser = browserHere()
    const page = await browser.open(url)
    assert.match(page.text, /Sign in as an admin/)
    assert.equal((await browser.send(page, { act: 'deny' })).status, 403)
  })
})
