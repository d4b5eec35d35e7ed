import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createServer, inOrganization } from '../support/admin.ts'
import { newBrowser } from '../support/browser.ts'
import { makeConnector, startConnecting, whoCalls, type Connecting } from '../support/connecting.ts'
import { callTool, untilListed } from '../support/gateway-client.ts'
import { runManage, refusedManage } from '../support/manage.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile } from '../support/servers.ts'
import { inDatabase } from '../support/storage.ts'
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

describe('A connect link, by OAuth', () => {
  it('leads from a caller without an account to a call that is made with it', async () => {
    const ann = await acme.member()
    const made = await runManage(rollcall, ann, 'connectors_connect', { connector: 'notes' })
    assert.match(made.connect_id, /^con_[0-9a-f]{20}$/)
    const waiting = runManage(rollcall, ann, 'connectors_wait', { connect_id: made.connect_id })
    const browser = newBrowser()
    const page = await browser.open(made.url)
    assert.equal(page.status, 200)
    for (const text of ['acme', 'Ann', 'Notes', 'notes:read']) assert.ok(page.text.includes(text))
    const done = await browser.through(page, { act: 'connect' })
    assert.equal(done.status, 200, done.text)
    assert.match(done.text, /Connected/)
    assert.deepEqual(await waiting, {
      status: 'connected',
      account: { connector: 'notes', alias: 'default', identity: null },
    })
    await untilListed(rollcall, ann.key, ['notes__whoami'])
    assert.equal(await whoCalls(rollcall, ann), 'ann')
    assert.equal((await acme.stateOf(made.connect_id)).state, 'connected')
    const again = await browser.open(made.url)
    assert.equal(again.status, 410)
    const form = provider.asked.at(-1)
    assert.equal(form?.['grant_type'], 'authorization_code')
    assert.match(form?.['code_verifier'] ?? '', /^[0-9a-f]{64}$/)
  })

  it('connects the same account again, and clears that it needed it', async () => {
    const ann = await acme.member()
    for (const user of ['first', 'second']) {
      provider.now.user = user
      const { url } = await acme.link({ server, owner: ann.id, alias: 'mine' })
      const browser = newBrowser()
      await browser.through(await browser.open(url), { act: 'connect' })
      await untilListed(rollcall, ann.key, ['notes__whoami'])
      assert.equal(await whoCalls(rollcall, ann), user)
      const { items } = (await acme.ask('GET', `/accounts?owner=${ann.id}`)).json
      assert.equal(items.length, 1)
      assert.equal(items[0].state, 'connected')
      await acme.ask('PATCH', `/accounts/${items[0].id}`, { state: 'needs_reauth' })
    }
    provider.now.user = 'ann'
  })

  it('gives the organization an account, too', async () => {
    const { url, id } = await acme.link({ server })
    const browser = newBrowser()
    const page = await browser.open(url)
    assert.match(page.text, /the organization <b>acme<\/b>/)
    await browser.through(page, { act: 'connect' })
    const { account } = await acme.stateOf(id)
    const { owner, alias } = (await acme.ask('GET', `/accounts/${account}`)).json
    assert.deepEqual({ owner, alias }, { owner: null, alias: 'default' })
    const tried = await acme.ask('POST', `/servers/${server}/tools/whoami/call`, {})
    assert.match(tried.text, /ann/)
  })

  it('says that it failed where the person says no there', async () => {
    const ann = await acme.member()
    const made = await runManage(rollcall, ann, 'connectors_connect', { connector: 'notes' })
    provider.now.denies = true
    const browser = newBrowser()
    const done = await browser.through(await browser.open(made.url), { act: 'connect' })
    provider.now.denies = false
    assert.equal(done.status, 502)
    const waited = await runManage(rollcall, ann, 'connectors_wait', {
      connect_id: made.connect_id,
    })
    assert.equal(waited.status, 'failed')
    assert.match(waited.problem, /said no/)
  })

  it('is not to be had for what is no connector, by an agent, or where links are off', async () => {
    const ann = await acme.member()
    const nothing = await refusedManage(rollcall, ann, 'connectors_connect', { connector: 'none' })
    assert.equal(nothing.code, 'connector_not_found')
    const bot = await acme.ask('POST', '/agents', { name: 'Bot' })
    const key = await acme.ask('POST', '/keys', {
      name: 'k',
      kind: 'agent',
      principal: bot.json.id,
    })
    const agent = { ...ann, key: key.json.secret }
    const refused = await refusedManage(rollcall, agent, 'connectors_connect', {
      connector: 'notes',
    })
    assert.equal(refused.code, 'member_principal_required')
    const off = await startConnecting(rollcall, 'off', {})
    const other = await makeConnector(rollcall, off, provider)
    const answer = await off.ask('POST', '/accounts/connect', { server: other })
    assert.equal(answer.json.error.code, 'connect_links_off')
    const someone = await off.member()
    const { error } = await callTool(rollcall, someone.key, 'manage__connectors_connect')
    assert.match(error.message, /Tool not found/)
  })

  it('is waited for by its own caller alone', async () => {
    const [ann, bob] = [await acme.member(), await acme.member()]
    const made = await runManage(rollcall, ann, 'connectors_connect', { connector: 'notes' })
    for (const connect_id of [made.connect_id, 'con_00000000000000000000']) {
      const { code } = await refusedManage(rollcall, bob, 'connectors_wait', { connect_id })
      assert.equal(code, 'connect_not_found')
    }
    const headers = { authorization: `Bearer ${bob.key}` }
    const asked = await rollcall.send(`/api/v1/accounts/connect/${made.connect_id}`, { headers })
    assert.equal(asked.status, 404)
  })
})

describe('manage__connectors_wait', () => {
  it('ends with the link, where nobody opens it', async () => {
    const ann = await acme.member()
    const made = await runManage(rollcall, ann, 'connectors_connect', { connector: 'notes' })
    const { connect_id } = made
    const query = `UPDATE connects SET expires_at = ${Date.now() + 1000} WHERE id = '${connect_id}'`
    await inDatabase(rollcall, query, acme.organization)
    assert.deepEqual(await runManage(rollcall, ann, 'connectors_wait', { connect_id }), {
      status: 'expired',
    })
  })
})

describe('A connect link of a remote server', () => {
  const remote = async (slug: string) => {
    const file = serverFile('Guarded', undefined, {
      slug,
      kind: 'remote',
      gateway: slug,
      account: 'required',
      remote: {
        url: `${provider.url}/mcp`,
        auth: { type: 'bearer', token: { account: 'token' } },
      },
    })
    return (await createServer(rollcall, file, inOrganization(acme.organization))).id
  }
  const connect = async (id: string) => {
    const browser = newBrowser()
    const { url } = await acme.link({ server: id })
    const done = await browser.through(await browser.open(url), { act: 'connect' })
    assert.equal(done.status, 200, done.text)
    const read = await acme.ask('POST', `/servers/${id}/refresh`, {})
    assert.equal(read.json.toolCount, 1, read.text)
  }

  it('finds its authorization server, and is a client by registration, once', async () => {
    await connect(await remote('first'))
    await connect(await remote('second'))
    assert.equal(provider.registered.length, 1)
    const form = provider.asked.findLast(({ grant_type }) => grant_type === 'authorization_code')
    assert.equal(form?.['resource'], `${provider.url}/mcp`)
    assert.match(form?.['client_id'] ?? '', /^registered-/)
  })

  it('is read with tokens that are refreshed', async () => {
    const id = await remote('short')
    provider.now.expiresInSeconds = 0
    await connect(id)
    provider.now.expiresInSeconds = 3600
    const { grant_type } = provider.asked.at(-1) ?? {}
    assert.equal(grant_type, 'refresh_token')
  })

  it('is a client by its metadata where that is read', async () => {
    provider.now.metadata = { client_id_metadata_document_supported: true }
    await connect(await remote('third'))
    provider.now.metadata = {}
    const form = provider.asked.findLast(({ grant_type }) => grant_type === 'authorization_code')
    assert.equal(form?.['client_id'], `${rollcall.url}/oauth/client.json`)
  })

  it('does not go to a server that does no PKCE, or that is another than it says', async () => {
    const id = await remote('fourth')
    for (const metadata of [
      { code_challenge_methods_supported: ['plain'] },
      { code_challenge_methods_supported: undefined },
      { issuer: 'https://other.example.com' },
      { authorization_endpoint: 'javascript:alert(1)' },
    ]) {
      provider.now.metadata = metadata
      const browser = newBrowser()
      const { url } = await acme.link({ server: id })
      const answer = await browser.send(await browser.open(url), { act: 'connect' })
      assert.equal(answer.status, 502, JSON.stringify(metadata))
      assert.equal(answer.goesTo, undefined)
    }
    provider.now.metadata = {}
  })
})
