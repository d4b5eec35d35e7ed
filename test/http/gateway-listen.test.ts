/** `subscriptions/listen` on the gateway: each caller is told of its own list, and of nothing else. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startAcme, type Acme, type Person } from '../support/acme.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { theirs, untilListed, untilServed } from '../support/gateway-client.ts'
import { listenTo, requireSilence } from '../support/talking.ts'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const LIST_CHANGED = 'notifications/tools/list_changed'

describe('subscriptions/listen on the gateway', { concurrency: 1 }, () => {
  let rollcall: Rollcall
  let acme: Acme
  before(async () => {
    rollcall = await startRollcall({ vars: { STREAM_KEEPALIVE_SECONDS: '1' } })
    acme = await startAcme(rollcall, 'https://api.example.com')
    // A surface with all its servers, so that what changes later is what a test changes.
    const { id, key } = await acme.person('member')
    await acme.account('twitter', 'first', { owner: id })
    await untilListed(rollcall, key, ['memory__search', 'twitter__post'])
  })
  after(() => rollcall.close())

  const listen = ({ key }: Person, id: string | number = 1, path = '/mcp') =>
    listenTo(`${rollcall.url}${path}`, id, { authorization: `Bearer ${key}` })

  it('tells a member of an account that became its own, and nobody else', async () => {
    const [alice, bob] = [await acme.person('member'), await acme.person('member')]
    const streams = [await listen(alice, 'a'), await listen(bob)] as const
    await acme.account('notion', 'alice', { owner: alice.id })
    const { method, params } = await streams[0].message()
    assert.deepEqual([method, params._meta[SUBSCRIPTION]], [LIST_CHANGED, 'a'])
    // Whoever was told reads nothing older.
    assert.ok((await theirs(rollcall, alice.key)).includes('notion__search'))
    await requireSilence(streams[1])
    for (const stream of streams) stream.close()
  })

  it('tells all who see a capability that the organization has switched off, and no others', async () => {
    const [carol, dave] = [await acme.person('member'), await acme.person('member')]
    await acme.account('twitter', 'carol', { owner: carol.id })
    const streams = [await listen(carol), await listen(dave)] as const
    await acme.admin('PATCH', '/settings', { capabilities: { twitter: false } })
    assert.equal((await streams[0].message()).method, LIST_CHANGED)
    await requireSilence(streams[1])
    await acme.admin('PATCH', '/settings', { capabilities: { twitter: null } })
    assert.equal((await streams[0].message()).method, LIST_CHANGED)
    for (const stream of streams) stream.close()
  })

  it('tells an environment of its own entries alone', async () => {
    const erin = await acme.person('member')
    await acme.account('notion', 'erin', { owner: erin.id })
    const entries = [{ server: acme.servers.notion, tools: ['search'] }]
    await acme.admin('PUT', '/environments/narrow', { entries })
    await acme.admin('PUT', '/environments/other', { entries: [] })
    await untilServed(rollcall, erin.key, '/mcp/env/other')
    await untilListed(rollcall, erin.key, [
      'memory__search',
      'notion__create_page',
      'notion__search',
    ])
    const bound = await acme.admin('POST', '/keys', {
      name: 'bound',
      kind: 'member',
      principal: erin.id,
      environment: 'narrow',
    })
    const whole = await listen(erin)
    const narrow = await listenTo(`${rollcall.url}/mcp`, 1, {
      authorization: `Bearer ${bound.secret}`,
    })
    await acme.admin('PUT', '/environments/narrow', { entries: [] })
    assert.equal((await narrow.message()).method, LIST_CHANGED)
    await requireSilence(whole)
    await acme.admin('DELETE', '/environments/narrow')
    assert.equal((await narrow.message()).result.resultType, 'complete')
    assert.equal(await narrow.message(), undefined)
    whole.close()
  })

  it('ends, with its result, with the key that it was opened by', async () => {
    const frank = await acme.person('agent')
    const stream = await listen(frank, 7)
    await acme.admin('DELETE', `/keys/${frank.keyId}`)
    const { id, result } = await stream.message()
    assert.deepEqual([id, result._meta[SUBSCRIPTION]], [7, 7])
    assert.equal(await stream.message(), undefined)
  })

  it('answers a filter that is none with -32602', async () => {
    const ivan = await acme.person('member')
    for (const notifications of [undefined, 3, { toolsListChanged: 'yes' }]) {
      const message = modern('subscriptions/listen', { notifications })
      const answer = await rollcall.post('/mcp', message, {
        ...modernHeaders('subscriptions/listen'),
        authorization: `Bearer ${ivan.key}`,
      })
      assert.equal(answer.json?.error?.code, -32602, answer.text)
    }
  })

  it('ends with a principal that is suspended, and then with the organization', async () => {
    const [grace, heidi] = [await acme.person('agent'), await acme.person('member')]
    const streams = [await listen(grace), await listen(heidi)] as const
    await acme.admin('PATCH', `/agents/${grace.id}`, { status: 'suspended' })
    assert.equal((await streams[0].message()).result.resultType, 'complete')
    await requireSilence(streams[1])
    const status = (value: string) =>
      rollcall.admin('PATCH', `/organizations/${acme.organization}`, { status: value })
    await status('suspended')
    assert.equal((await streams[1].message()).result.resultType, 'complete')
    const list = await rollcall.post('/mcp', legacy('tools/list'), {
      authorization: `Bearer ${heidi.key}`,
      accept: 'application/json, text/event-stream',
    })
    assert.deepEqual([list.status, list.json.error.code], [403, 'org_suspended'])
    await status('active')
  })
})
