import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newBrowser, type Browser } from '../support/browser.ts'
import { makeConnector, startConnecting, type Connecting } from '../support/connecting.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { PUBLIC_URL } from '../support/signed-in.ts'
import { CLIENT, startOAuthServer, type OAuthServer } from '../support/upstreams/oauth-server.ts'

let rollcall: Rollcall
let provider: OAuthServer
let login: OAuthServer
let acme: Connecting
let server: string
let owner: string

before(async () => {
  provider = await startOAuthServer()
  login = await startOAuthServer()
  rollcall = await startRollcall({
    vars: {
      PUBLIC_URL,
      ALLOW_PRIVATE_UPSTREAMS: '1',
      OAUTH_ISSUERS: JSON.stringify([{ issuer: login.url, clientId: CLIENT.id }]),
    },
    secrets: { OAUTH_CLIENT_SECRETS: JSON.stringify({ [login.url]: CLIENT.secret }) },
  })
  acme = await startConnecting(rollcall, 'acme')
  server = await makeConnector(rollcall, acme, provider)
  const member = await acme.ask('POST', '/members', {
    name: 'Ann',
    externalId: { issuer: login.url, subject: 'ann' },
  })
  owner = member.json.id
})
after(async () => {
  await rollcall.close()
  await provider.close()
  await login.close()
})

const visitor = () => newBrowser({ [PUBLIC_URL]: rollcall.url })

/** Opens a link and signs in as somebody. */
async function signInAs(browser: Browser, user: string, url: string) {
  login.now.user = user
  const page = await browser.open(url)
  assert.match(page.text, /Sign in/)
  return browser.through(page, { act: 'sign-in' })
}

describe('A connect link where people sign in', () => {
  it('is gone on with by its member, who has signed in', async () => {
    const { url, id } = await acme.link({ server, owner })
    assert.ok(url.startsWith(`${PUBLIC_URL}/connect?link=`))
    const browser = visitor()
    const page = await signInAs(browser, 'ann', url)
    assert.equal(page.status, 200, page.text)
    assert.match(page.text, /Continue to Notes/)
    const done = await browser.through(page, { act: 'connect' })
    assert.equal(done.status, 200, done.text)
    assert.equal((await acme.stateOf(id)).state, 'connected')
    assert.equal(provider.asked.at(-1)?.['redirect_uri'], `${PUBLIC_URL}/oauth/callback`)
  })

  it('is refused to another person, and to nobody', async () => {
    const { url, id } = await acme.link({ server, owner })
    const browser = visitor()
    const page = await signInAs(browser, 'mallory', url)
    assert.equal(page.status, 403)
    assert.match(page.text, /signed in as somebody else/)
    for (const who of [browser, visitor()]) {
      const sent = await who.send(await who.open(url), { act: 'connect' })
      assert.equal(sent.status, 403)
      assert.equal(sent.goesTo, undefined)
    }
    assert.equal((await acme.stateOf(id)).state, 'pending')
    const later = await signInAs(browser, 'ann', url)
    assert.match(later.text, /Continue to Notes/)
  })

  it('is not opened by the sign-in of another browser', async () => {
    const { url } = await acme.link({ server, owner })
    const [ann, thief] = [visitor(), visitor()]
    await signInAs(ann, 'ann', url)
    await thief.open(url)
    const { host } = new URL(PUBLIC_URL)
    const stolen = ann.cookies.get(host)?.get('__Host-rollcall-person') ?? ''
    assert.notEqual(stolen, '')
    thief.cookies.get(host)?.set('__Host-rollcall-person', stolen)
    assert.match((await thief.open(url)).text, /Sign in/)
  })

  it('takes no answer that was begun elsewhere, replayed, or is of another issuer', async () => {
    const { url } = await acme.link({ server, owner })
    const browser = visitor()
    login.now.user = 'ann'
    const page = await browser.open(url)
    const { goesTo = '' } = await browser.send(page, { act: 'sign-in' })
    const { goesTo: back = '' } = await visitor().look(goesTo)
    assert.equal((await visitor().open(back)).status, 403)
    const other = new URL(back)
    other.searchParams.set('iss', 'https://evil.example.com')
    assert.equal((await browser.open(other.href)).status, 502)
    assert.equal((await browser.open(back)).status, 200)
    assert.equal((await browser.open(back)).status, 403)
  })

  it('believes no ID token of another nonce, client or issuer', async () => {
    const { url } = await acme.link({ server, owner })
    for (const claims of [
      { nonce: 'another' },
      { aud: 'another-client' },
      { aud: [CLIENT.id, 'another'] },
      { iss: 'https://evil.example.com' },
    ]) {
      login.now.claims = claims
      const page = await signInAs(visitor(), 'ann', url)
      assert.equal(page.status, 403, JSON.stringify(claims))
    }
    login.now.claims = {}
  })

  // Once its maker had gone, whoever had the link gave the organization an account, with no sign-in.
  it('of the organization is over once its maker is no admin any more', async () => {
    const made = async (path: string, body: object) => (await acme.ask('POST', path, body)).json
    for (const ends of ['demoted', 'suspended', 'deleted']) {
      const externalId = { issuer: login.url, subject: ends }
      const { id } = await made('/members', { name: 'Boss', role: 'admin', externalId })
      const { secret } = await made('/keys', { name: 'k', kind: 'member', principal: id })
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
      const asked = { method: 'POST', headers, body: JSON.stringify({ server }) }
      const { json: link } = await rollcall.send('/api/v1/accounts/connect', asked)
      const browser = visitor()
      const page = await signInAs(browser, ends, link.url)
      assert.match(page.text, /Continue to Notes/)
      const patch = ends === 'demoted' ? { role: 'member' } : { status: 'suspended' }
      await (ends === 'deleted'
        ? acme.ask('DELETE', `/members/${id}`)
        : acme.ask('PATCH', `/members/${id}`, patch))
      for (const who of [browser, visitor()]) {
        assert.equal((await who.open(link.url)).status, 403, ends)
        assert.equal((await who.send(page, { act: 'connect' })).status, 403, ends)
      }
    }
  })

  it('is not made for a member that cannot sign in', async () => {
    const { id } = await acme.member()
    const answer = await acme.ask('POST', '/accounts/connect', { server, owner: id })
    assert.equal(answer.status, 409)
    assert.equal(answer.json.error.code, 'member_not_identified')
  })
})
