import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createServer, inOrganization } from '../support/admin.ts'
import { newBrowser } from '../support/browser.ts'
import { startConnecting, type Connecting } from '../support/connecting.ts'
import { inDatabase } from '../support/storage.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { startOAuthServer, type OAuthServer } from '../support/upstreams/oauth-server.ts'

let rollcall: Rollcall
let provider: OAuthServer
let acme: Connecting

before(async () => {
  provider = await startOAuthServer()
  rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
  acme = await startConnecting(rollcall, 'acme')
})
after(async () => {
  await rollcall.close()
  await provider.close()
})

async function make(slug: string, connect?: object, handler: object = {}) {
  const http = { kind: 'http', method: 'GET', url: `${provider.url}/form` }
  const auth = { type: 'header', name: 'X-Api-Key', value: { account: 'key' } }
  const file = serverFile('Keyed', [tool('look', { handler: { ...http, auth, ...handler } })], {
    slug,
    gateway: slug,
    account: 'required',
    auth: 'key',
    ...(connect && { connect }),
  })
  return (await createServer(rollcall, file, inOrganization(acme.organization))).id
}

describe('A connect link, by a form', () => {
  it('asks for the fields that the handlers refer to, and calls are made with them', async () => {
    const server = await make('keyed')
    const { url, id } = await acme.link({ server })
    const browser = newBrowser()
    const page = await browser.open(url)
    assert.match(page.text, /name="field\.key"[^>]*type="password"/s)
    const done = await browser.send(page, { act: 'connect', 'field.key': 'geheim' })
    assert.equal(done.status, 200, done.text)
    assert.equal((await acme.stateOf(id)).state, 'connected')
    const tried = await acme.ask('POST', `/servers/${server}/tools/look/call`, {})
    assert.match(tried.text, /g e h e i m/)
  })

  it('asks for the fields that the server names, each of them', async () => {
    const fields = [
      { name: 'user', label: 'Your <name>', secret: false },
      { name: 'password', label: 'Password' },
    ]
    const auth = { type: 'basic', username: { account: 'user' }, password: { account: 'password' } }
    const server = await make('basic', { type: 'form', fields }, { auth })
    const { url, id } = await acme.link({ server })
    const browser = newBrowser()
    const page = await browser.open(url)
    assert.match(page.text, /name="field\.user"[^>]*type="text"/s)
    assert.match(page.text, /Your &lt;name&gt;/)
    const sent = await browser.send(page, { act: 'connect', 'field.user': 'ann' })
    assert.equal(sent.status, 422)
    assert.equal((await acme.stateOf(id)).state, 'pending')
    const again = await browser.send(page, {
      act: 'connect',
      'field.user': 'ann',
      'field.password': 'pw',
      'field.other': 'not asked for',
    })
    assert.equal(again.status, 200, again.text)
  })

  it('keeps nothing that was typed in the open', async () => {
    const rows = await inDatabase(rollcall, 'SELECT * FROM accounts', acme.organization)
    const connects = await inDatabase(rollcall, 'SELECT * FROM connects', acme.organization)
    const audit = await inDatabase(rollcall, 'SELECT * FROM audit', acme.organization)
    assert.ok(rows.length >= 2)
    assert.doesNotMatch(JSON.stringify([rows, connects, audit]), /geheim|"pw"/)
  })
})

describe('The setting connect', () => {
  it('is refused where it does not fit', async () => {
    const wrong = async (members: object) => {
      const { name: _, ...rest } = serverFile('x', [], { account: 'required', auth: 'key' }) as any // oxlint-disable-line typescript/no-explicit-any -- a file as it is sent
      const answer = await acme.ask('POST', '/servers', { name: 'x', ...rest, ...members })
      assert.equal(answer.status, 422, answer.text)
      return answer.json.error.details.map(({ path }: { path: string }) => path)
    }
    const urls = { authorizationUrl: 'https://a.test/a', tokenUrl: 'https://a.test/t' }
    assert.deepEqual(
      await wrong({
        account: 'none',
        connect: { type: 'form', fields: [{ name: 'a', label: 'A' }] },
      }),
      ['connect'],
    )
    assert.deepEqual(await wrong({ connect: { type: 'oauth' } }), ['connect.issuer'])
    assert.deepEqual(await wrong({ connect: { type: 'oauth', ...urls } }), ['connect.clientId'])
    assert.deepEqual(
      await wrong({
        connect: { type: 'oauth', issuer: 'https://a.test', tokenUrl: urls.tokenUrl },
      }),
      ['connect.authorizationUrl'],
    )
    assert.deepEqual(
      await wrong({ connect: { type: 'oauth', ...urls, clientId: 'c', clientAuth: 'body' } }),
      ['connect.clientSecret'],
    )
    // The server that is called could name one of its own, and was sent the secret.
    const remote = { kind: 'remote', tools: undefined, remote: { url: 'https://a.test/mcp' } }
    const client = { clientId: 'c', clientSecret: { secret: 's' } }
    assert.deepEqual(await wrong({ ...remote, connect: { type: 'oauth', ...client } }), [
      'connect.issuer',
    ])
    assert.deepEqual(await wrong({ connect: { type: 'form', fields: [] } }), ['connect.fields'])
  })

  it('comes back as it was written', async () => {
    const connect = { type: 'form', fields: [{ name: 'key', label: 'Key', secret: true }] }
    const id = await make('kept', connect)
    assert.deepEqual((await acme.ask('GET', `/servers/${id}`)).json.connect, connect)
    const exported = await acme.ask('GET', `/servers/${id}/export`)
    assert.deepEqual(exported.json.connect, connect)
  })
})
