import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newBrowser, type Browser, type Seen } from '../support/browser.ts'
import { makeConnector, startConnecting, type Connecting } from '../support/connecting.ts'
import { inDatabase } from '../support/storage.ts'
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

type Begun = { id: string; url: string; browser: Browser; page: Seen; authorize: string }

/** A link that was opened and clicked, up to where the person is sent. */
async function begin(): Promise<Begun> {
  const { id, url } = await acme.link({ server })
  const browser = newBrowser()
  const page = await browser.open(url)
  const { goesTo, text } = await browser.send(page, { act: 'connect' })
  assert.ok(goesTo, text)
  return { id, url, browser, page, authorize: goesTo }
}

/** Where the authorization server sends a person back to. */
async function answerOf(authorize: string): Promise<URL> {
  const { goesTo } = await newBrowser().look(authorize)
  assert.ok(goesTo)
  return new URL(goesTo)
}

const accounts = async () => (await acme.ask('GET', '/accounts')).json.items.length

describe('The page of a connect link', () => {
  it('is of no link that is forged, cut, of another kind, or missing', async () => {
    const { url, authorize } = await begin()
    const state = new URL(authorize).searchParams.get('state') ?? ''
    const link = new URL(url).searchParams.get('link') ?? ''
    const flipped = link.slice(0, -2) + (link.endsWith('AA') ? 'BB' : 'AA')
    for (const wrong of [
      '',
      'x',
      'v1.k1.a.b',
      flipped,
      link.slice(0, -4),
      state,
      'a'.repeat(5000),
    ]) {
      const seen = await newBrowser().open(`${rollcall.url}/connect?link=${wrong}`)
      assert.equal(seen.status, 404, wrong)
      assert.match(seen.headers.get('content-type') ?? '', /^text\/html/)
    }
    assert.equal((await newBrowser().open(`${rollcall.url}/connect`)).status, 404)
  })

  it('has names as text alone, whoever chose them', async () => {
    const evil = `"><script>alert(1)</script><img src=x onerror='x'>`
    const other = await startConnecting(rollcall, 'evil')
    const id = await makeConnector(rollcall, other, provider, { capability: 'evil' })
    await other.ask('PATCH', `/servers/${id}`, { name: evil })
    const { id: owner } = await other.member({ name: evil })
    const { url } = await other.link({ server: id, owner, alias: evil })
    const page = await newBrowser().open(url)
    assert.equal(page.status, 200)
    assert.doesNotMatch(page.text, /<script|<img/)
    assert.match(page.text, /&lt;script&gt;/)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  })

  // A member's name turned the warning after it, and one called like the organization passed for it.
  it('says who will hold the account, whatever that one is called', async () => {
    const name = '\u202Ethe organization acme'
    const { id: owner } = await acme.member({ name })
    const { text } = await newBrowser().open((await acme.link({ server, owner })).url)
    assert.match(text, /held by<\/dt>\s*<dd>the member <b>\\u202ethe organization acme</)
    assert.doesNotMatch(text, /\u202E/)
    const own = await newBrowser().open((await acme.link({ server })).url)
    assert.match(own.text, /held by<\/dt>\s*<dd>the organization <b>acme</)
  })

  it('takes no form from elsewhere', async () => {
    const { browser, page } = await begin()
    const act = { act: 'connect' }
    for (const origin of ['https://evil.example.com', 'null', `${rollcall.url}.evil.test`]) {
      assert.equal((await browser.send(page, act, { origin })).status, 403, origin)
    }
    const without = await browser.look(`${rollcall.url}/connect`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: '',
    })
    assert.equal(without.status, 403)
    for (const token of ['', 'x', '0'.repeat(64)]) {
      assert.equal((await browser.send(page, { ...act, token })).status, 403, token)
    }
    const typed = await browser.send(page, act, { 'content-type': 'text/plain' })
    assert.equal(typed.status, 415)
  })

  it('takes no form with the token of another link or of another browser', async () => {
    const [one, other] = [await begin(), await begin()]
    const link = new URL(other.url).searchParams.get('link') ?? ''
    assert.equal((await one.browser.send(one.page, { act: 'connect', link })).status, 403)
    assert.equal((await other.browser.send(one.page, { act: 'connect' })).status, 403)
    assert.equal((await newBrowser().send(one.page, { act: 'connect' })).status, 403)
  })

  it('is of the first browser that goes on with it', async () => {
    const { url } = await begin()
    const victim = newBrowser()
    const sent = await victim.send(await victim.open(url), { act: 'connect' })
    assert.equal(sent.status, 403)
    assert.equal(sent.goesTo, undefined)
  })

  it('is over after ten minutes', async () => {
    const { id, browser, page, authorize } = await begin()
    const back = await answerOf(authorize)
    const query = `UPDATE connects SET expires_at = 1 WHERE id = '${id}'`
    await inDatabase(rollcall, query, acme.organization)
    assert.equal((await browser.send(page, { act: 'connect' })).status, 410)
    assert.equal((await browser.open(back.href)).status, 410)
    assert.equal((await acme.stateOf(id)).state, 'expired')
  })
})

describe('The answer of an authorization server', () => {
  it('is taken once', async () => {
    const { browser, authorize } = await begin()
    const back = await answerOf(authorize)
    assert.equal((await browser.open(back.href)).status, 200)
    const asked = provider.asked.length
    assert.equal((await browser.open(back.href)).status, 409)
    assert.equal(provider.asked.length, asked)
  })

  it('is taken from the browser that began alone', async () => {
    const { id, authorize, browser } = await begin()
    const back = await answerOf(authorize)
    const [asked, count] = [provider.asked.length, await accounts()]
    const other = await begin()
    assert.equal((await newBrowser().open(back.href)).status, 403)
    assert.equal((await other.browser.open(back.href)).status, 403)
    assert.equal(provider.asked.length, asked)
    assert.equal(await accounts(), count)
    assert.equal((await acme.stateOf(id)).state, 'started')
    assert.equal((await browser.open(back.href)).status, 200)
  })

  it('needs the state of its own try', async () => {
    const [one, other] = [await begin(), await begin()]
    const back = await answerOf(one.authorize)
    const otherState = new URL(other.authorize).searchParams.get('state') ?? ''
    for (const state of ['', 'x', otherState, new URL(one.url).searchParams.get('link') ?? '']) {
      back.searchParams.set('state', state)
      assert.ok([403, 404].includes((await one.browser.open(back.href)).status), state)
    }
  })

  it('of an earlier try is no good after a later one', async () => {
    const { browser, page, authorize } = await begin()
    await browser.send(page, { act: 'connect' })
    assert.equal((await browser.open((await answerOf(authorize)).href)).status, 403)
  })

  it('must name the server that was asked', async () => {
    for (const iss of ['https://evil.example.com', `${provider.url}/`]) {
      const { id, browser, authorize } = await begin()
      const back = await answerOf(authorize)
      back.searchParams.set('iss', iss)
      const asked = provider.asked.length
      assert.equal((await browser.open(back.href)).status, 502)
      assert.equal(provider.asked.length, asked, 'no code went anywhere')
      assert.equal((await acme.stateOf(id)).state, 'failed')
    }
  })

  it('gives nothing for the code of another, or for one that was used', async () => {
    const used = await begin()
    await used.browser.open((await answerOf(used.authorize)).href)
    const victim = await begin()
    await answerOf(victim.authorize)
    for (const code of provider.codes.slice(-2)) {
      const { id, browser, authorize } = await begin()
      const back = await answerOf(authorize)
      back.searchParams.set('code', code)
      const count = await accounts()
      assert.equal((await browser.open(back.href)).status, 502)
      assert.equal(provider.refused.at(-1), 'invalid_grant')
      assert.equal(await accounts(), count)
      assert.equal((await acme.stateOf(id)).state, 'failed')
    }
  })

  it('leads nowhere else, whatever is in it', async () => {
    const elsewhere = 'https://evil.example.com/'
    for (const path of [
      `/oauth/callback?state=x&redirect_uri=${elsewhere}&next=${elsewhere}&error_uri=${elsewhere}`,
      `/oauth/callback?state=sign-in.x&code=y&back=${elsewhere}`,
      `/connect?link=${elsewhere}`,
      `/connect?next=${elsewhere}`,
    ]) {
      const seen = await newBrowser().look(rollcall.url + path)
      assert.ok(seen.status >= 400, path)
      assert.equal(seen.goesTo, undefined)
      assert.doesNotMatch(seen.text, /evil\.example/)
    }
  })

  it('shows nothing of an error as HTML', async () => {
    const { browser, authorize } = await begin()
    const back = await answerOf(authorize)
    back.searchParams.delete('code')
    back.searchParams.set('error', '<script>x</script>')
    const seen = await browser.open(back.href)
    assert.equal(seen.status, 502)
    assert.doesNotMatch(seen.text, /<script/)
  })
})

describe('A deployment without PUBLIC_URL', () => {
  it('makes no links, and says so', async () => {
    const plain = await startRollcall({ vars: { DEVELOPMENT: '' } })
    const org = await startConnecting(plain, 'acme')
    const id = await makeConnector(plain, org, { ...provider, url: 'https://notes.example.com' })
    const answer = await org.ask('POST', '/accounts/connect', { server: id })
    assert.equal(answer.status, 501)
    assert.match(answer.json.error.message, /PUBLIC_URL/)
    assert.equal((await plain.send('/oauth/client.json')).status, 501)
    await plain.close()
  })
})
