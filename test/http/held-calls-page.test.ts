/** The page on which a person decides a held call from a link (`surfaces.md` C48). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hold, outcomeOf, startHeldWorld, type HeldWorld } from '../support/held.ts'
import { newBrowser, type Browser, type Seen } from '../support/browser.ts'

describe('The page of an approval link', { concurrency: 1 }, () => {
  let world: HeldWorld
  let browser: Browser
  const openPage = (url: string) => browser.look(url)
  const submitPage = (page: Seen, fields: Record<string, string>, headers: object = {}) =>
    browser.send(page, fields, headers)
  before(async () => {
    browser = newBrowser()
    world = await startHeldWorld()
  })
  after(() => world.close())

  const runs = () => world.payments.paid.length
  const linkOf = async (id: string): Promise<string> => {
    const { items } = await world.acme.admin('GET', '/approvals')
    return items.find((item: { id: string }) => item.id === id).url
  }

  it('shows who asks for what, whole, escaped and with nothing hidden', async () => {
    const to = '<script>alert(1)</script>"&\u202Ecod.exe\u200B'
    const id = await hold(world, world.agent.key, { to, amount: 7 })
    const { status, headers, text } = await openPage(await linkOf(id))
    assert.equal(status, 200)
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('set-cookie') ?? '', /^__Host-rollcall-connect=.*Secure; HttpOnly/)
    for (const shown of ['pay', 'Bank', 'agent A agent', world.agent.id, '&quot;amount&quot;: 7']) {
      assert.ok(text.includes(shown), shown)
    }
    assert.ok(text.includes('&lt;script&gt;alert(1)&lt;/script&gt;\\&quot;&amp;'), text)
    assert.ok(text.includes('\\u202ecod.exe\\u200b'))
    assert.doesNotMatch(text, /<script|\u202E|\u200B/)
    await world.acme.admin('POST', `/approvals/${id}/deny`)
  })

  it('approves by its button, and the call runs once for who waits', async () => {
    const earlier = runs()
    const id = await hold(world, world.agent.key)
    const page = await openPage(await linkOf(id))
    const waiting = outcomeOf(world, world.agent.key, id)
    const [one, other] = await Promise.all([
      submitPage(page, { act: 'approve' }),
      submitPage(page, { act: 'approve' }),
    ])
    assert.deepEqual(new Set([one.status, other.status]), new Set([200, 409]), 'a double click')
    assert.match(one.status === 200 ? one.text : other.text, /runs once its caller waits/)
    assert.equal(await waiting, '/pay/ann/7')
    assert.equal(runs(), earlier + 1)
    const { items } = await world.acme.admin('GET', '/audit?limit=5')
    assert.partialDeepStrictEqual(items[0], {
      act: 'approvals.approve',
      target: id,
      actor: 'operator',
    })
    assert.equal((await openPage(page.url.href)).status, 410)
  })

  it('denies by its other button', async () => {
    const earlier = runs()
    const id = await hold(world, world.agent.key)
    const page = await openPage(await linkOf(id))
    assert.equal((await submitPage(page, { act: 'deny' })).status, 200)
    assert.equal((await submitPage(page, { act: 'approve' })).status, 409)
    assert.equal(await outcomeOf(world, world.agent.key, id), 'approval_denied')
    assert.equal(runs(), earlier)
  })

  it('takes no form from elsewhere, of another browser, call or decision', async () => {
    const id = await hold(world, world.agent.key)
    const page = await openPage(await linkOf(id))
    const other = await openPage(await linkOf(await hold(world, world.agent.key)))
    const act = 'approve'
    const stranger = newBrowser()
    const theirs = await stranger.look(page.url.href)
    const attempts = [
      await submitPage(page, { act }, { origin: 'https://evil.example' }),
      await submitPage(page, { act }, { origin: 'null' }),
      await newBrowser().send(page, { act }),
      await stranger.send(page, { act }),
      await browser.send(theirs, { act }),
      await browser.send(other, { act, link: page.url.searchParams.get('link') ?? '' }),
      await submitPage(page, { act, token: '' }),
    ]
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [403, 403, 403, 403, 403, 403, 403],
    )
    assert.equal((await submitPage(page, { act: 'maybe' })).status, 422)
    assert.equal((await submitPage(page, { act: '' })).status, 422)
    assert.equal(await outcomeOf(world, world.agent.key, id, 0), 'still_waiting')
    // A link by itself decides nothing: it takes a click on the page.
    await openPage(page.url.href)
    assert.equal(await outcomeOf(world, world.agent.key, id, 0), 'still_waiting')
  })

  it('knows no link that was not made here', async () => {
    const id = await hold(world, world.agent.key)
    const link = await linkOf(id)
    const forged = [`${link}x`, link.replace(/link=.*/, 'link=v1.k1.a.b'), link.replace(/\?.*/, '')]
    for (const url of forged) assert.equal((await openPage(url)).status, 404, url)
    const connect = link.replace('/approve?', '/connect?')
    assert.equal((await openPage(connect)).status, 404, 'nor one for another page')
  })

  it('is given to nobody by whose key a call was made', async () => {
    const { boss, rollcall } = world
    const id = await hold(world, boss.key)
    const headers = { authorization: `Bearer ${boss.key}` }
    const { json } = await rollcall.send('/api/v1/approvals', { headers })
    const item = json.items.find((each: { id: string }) => each.id === id)
    assert.deepEqual([item.state, item.url], ['pending', undefined])
  })

  it('decides as the admin it was given to, and no more once that is none', async () => {
    const { acme, rollcall } = world
    const former = await acme.person('member', { role: 'admin' })
    const { token } = await acme.admin('POST', `/members/${former.id}/session`)
    const id = await hold(world, world.agent.key)
    const again = await hold(world, world.agent.key)
    const headers = { authorization: `Bearer ${token}` }
    const { json } = await rollcall.send('/api/v1/approvals?state=pending', { headers })
    const urlOf = (wanted: string) =>
      json.items.find((each: { id: string }) => each.id === wanted).url
    const page = await openPage(urlOf(id))
    assert.equal((await submitPage(page, { act: 'approve' })).status, 200)
    const { items } = await acme.admin('GET', '/approvals?state=approved')
    assert.equal(items[0].decidedBy, former.id)
    const late = await openPage(urlOf(again))
    await acme.admin('PATCH', `/members/${former.id}`, { role: 'member' })
    assert.equal((await submitPage(late, { act: 'approve' })).status, 403)
    const { status, text } = await openPage(urlOf(again))
    assert.equal(status, 403)
    assert.doesNotMatch(text, /ann/, 'and is not shown any more')
  })
})
