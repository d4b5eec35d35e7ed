/** The credential of an account in the calls that are made with it, as an operator tries tools. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createServer, refusal } from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { accountOf, make } from '../support/gateway.ts'
import { httpTool } from '../support/http-tools.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile } from '../support/servers.ts'
import { startHttpApi, type HttpApi } from '../support/upstreams/http-api.ts'
import { startLegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import type { Recording } from '../support/upstreams/recording.ts'

const TOKEN = { account: 'token' }
const CONNECTOR = { auth: 'key', account: 'required', gateway: 'api' }

describe('The credential of an account', () => {
  let rollcall: Rollcall
  let api: HttpApi
  let server: string
  before(async () => {
    ;[rollcall, api] = await Promise.all([
      startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } }),
      startHttpApi(),
    ])
    await rollcall.admin('PUT', '/secrets/ours', { value: 'secret-of-ours' })
    const auth = { type: 'bearer', token: TOKEN }
    const headers = { 'X-Workspace': { account: 'workspace' }, 'X-Ours': { secret: 'ours' } }
    const tools = [
      httpTool('echo', { url: `${api.url}/echo`, auth, headers, query: { t: TOKEN } }),
      httpTool('leak', { url: `${api.url}/leak/{code}`, auth }, {}, ['code']),
      httpTool('cached', { url: `${api.url}/echo/cached`, auth, cacheSeconds: 60 }),
      httpTool('open', { url: `${api.url}/echo/open` }),
    ]
    server = (await createServer(rollcall, serverFile('Api', tools, CONNECTOR))).id
  })
  after(() => Promise.all([rollcall.close(), api.close()]))

  const attempt = (tool: string, body: object = {}) =>
    rollcall.admin('POST', `/servers/${server}/tools/${tool}/call`, body)
  const textOf = async (tool: string, body: object = {}) => {
    const { status, json, text } = await attempt(tool, body)
    assert.equal(status, 200, text)
    return String(json.content[0].text)
  }
  const last = () => {
    const seen = api.requests.at(-1)
    assert.ok(seen)
    return seen
  }

  it('is needed: without an account of the organization a tool cannot be tried', async () => {
    assert.deepEqual(refusal(await attempt('echo')), { status: 409, code: 'not_connected' })
  })

  it('goes into the calls where the handler says, beside secrets of the organization', async () => {
    const credential = { token: 'token-of-one', workspace: 'workspace-of-one' }
    await make(rollcall, '/accounts', accountOf(server, 'one', { credential }))
    await textOf('echo')
    const { headers, path } = last()
    assert.equal(headers['authorization'], 'Bearer token-of-one')
    assert.equal(headers['x-workspace'], 'workspace-of-one')
    assert.equal(headers['x-ours'], 'secret-of-ours')
    assert.match(path, /[?&]t=token-of-one/)
    await textOf('open')
    assert.equal(last().headers['authorization'], undefined)
  })

  it('is taken out of all that comes back', async () => {
    for (const code of ['200', '500']) {
      const text = await textOf('leak', { arguments: { code } })
      assert.ok(!text.includes('token-of-one'), text)
      assert.ok(text.includes('[REDACTED]'), text)
    }
    const { text } = await rollcall.admin('GET', '/calls')
    assert.ok(!text.includes('token-of-one'))
  })

  it('is that of the account that is named, and answers are not kept for another', async () => {
    await textOf('cached')
    const count = api.countOf('/echo/cached')
    await make(rollcall, '/accounts', accountOf(server, 'two'))
    assert.deepEqual(refusal(await attempt('cached')), { status: 409, code: 'ambiguous_account' })
    await textOf('cached', { account: 'two' })
    assert.equal(last().headers['authorization'], 'Bearer token-of-two')
    await textOf('cached', { account: 'one' })
    await textOf('cached', { account: 'two' })
    assert.equal(api.countOf('/echo/cached'), count + 1)
    const other = await attempt('echo', { account: 'three' })
    assert.deepEqual(refusal(other), { status: 409, code: 'not_connected' })
  })

  it('lacks what it lacks, which the result names', async () => {
    const text = await textOf('echo', { account: 'two' })
    assert.match(text, /The credential "workspace" of an account is not set/)
  })

  it('is another one at once', async () => {
    const { json } = await rollcall.admin('GET', '/accounts')
    const two = json.items.find(({ alias }: { alias: string }) => alias === 'two')
    await rollcall.admin('PATCH', `/accounts/${two.id}`, { credential: { token: 'newer-token' } })
    await textOf('cached', { account: 'two' })
    assert.equal(last().headers['authorization'], 'Bearer newer-token')
    await rollcall.admin('PATCH', `/accounts/${two.id}`, { state: 'needs_reauth' })
    const stale = await attempt('cached', { account: 'two' })
    assert.deepEqual(refusal(stale), { status: 409, code: 'needs_reauth' })
  })
})

describe('A remote server whose calls are made with accounts', () => {
  let rollcall: Rollcall
  let upstream: Recording
  before(async () => {
    ;[rollcall, upstream] = await Promise.all([
      startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } }),
      startLegacyMcp({ kind: 'sessions' }),
    ])
  })
  after(() => Promise.all([rollcall.close(), upstream.close()]))

  it('is read with an account of the organization, and reached over a connection for each', async () => {
    const remote = { url: upstream.url, auth: { type: 'bearer', token: TOKEN } }
    const file = { name: 'Remote', kind: 'remote', account: 'required', gateway: true, remote }
    const { id, upstream: unread } = await createServer(rollcall, file)
    assert.match(unread.problem, /The credential "token" of an account is not set/)
    await make(rollcall, '/accounts', accountOf(id, 'first'))
    await eventually(
      () => rollcall.admin('GET', `/servers/${id}`),
      ({ json }) => json.toolCount > 0,
    )
    await make(rollcall, '/accounts', accountOf(id, 'other'))
    const call = async (account: string) => {
      const body = { account, arguments: { text: account } }
      const { json, text } = await rollcall.admin('POST', `/servers/${id}/tools/echo/call`, body)
      assert.deepEqual(json.content, [{ type: 'text', text: account }], text)
      const seen = upstream.requests.findLast(({ body: sent }) => sent?.method === 'tools/call')
      assert.equal(seen?.headers['authorization'], `Bearer token-of-${account}`)
      return seen.headers['mcp-session-id']
    }
    const sessions = [
      await call('first'),
      await call('other'),
      await call('first'),
      await call('other'),
    ]
    assert.equal(sessions[0], sessions[2])
    assert.equal(sessions[1], sessions[3])
    assert.notEqual(sessions[0], sessions[1])
  })
})
