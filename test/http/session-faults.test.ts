/** What sessions make of input that is wrong, foreign, too much, or comes twice. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createOrganization, inOrganization } from '../support/admin.ts'
import { openStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { resource, serverFile, template, tool } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'
import {
  call,
  cancelled,
  ENDLESS,
  LIST_CHANGED,
  listenRequest,
  log,
  messagesOf,
  talking,
} from '../support/talking.ts'

const TOOLS = [
  tool('a'),
  ENDLESS,
  talking('steps', { progress: { progress: 1 } }, { waitMs: 300 }, log('ended')),
]
const FILE = {
  resources: [resource('u:1'), resource('u:2')],
  resourceTemplates: [template('t:{x}')],
}
const SECOND_ID = 'feedfacefeedface'

let rollcall: Rollcall
let path: string
before(async () => {
  rollcall = await startRollcall({ vars: { INITIALIZE_LIMIT: '6000' } })
  const { json } = await rollcall.admin('POST', '/servers', serverFile('Faults', TOOLS, FILE))
  path = json.endpoint
})
after(() => rollcall.close())

describe('A session', { concurrency: true }, () => {
  const takeOver = async () => {
    await Promise.all([createOrganization(rollcall, 'first'), createOrganization(rollcall, 'next')])
    const put = (organization: string) => {
      const file = serverFile('Taken', TOOLS, { slug: 'taken' })
      return rollcall.admin('PUT', `/servers/${SECOND_ID}`, file, inOrganization(organization))
    }
    const endpoint: string = (await put('first')).json.endpoint
    const session = await openSession(rollcall, endpoint)
    await rollcall.admin('DELETE', `/servers/${SECOND_ID}`, undefined, inOrganization('first'))
    await eventually(
      () => put('next'),
      ({ status }) => status === 201,
    )
    await eventually(
      () => rollcall.post(endpoint, legacy('ping')),
      ({ status }) => status === 200,
    )
    return session
  }

  it('is unknown once its server is gone, and another organization has one under its id', async (t) => {
    const session = await takeOver()
    const answers = [
      await session.post(legacy('tools/list')),
      await session.post(call('a')),
      await session.post(cancelled(1)),
      await session.send('GET'),
      await session.send('DELETE'),
    ]
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses, [404, 404, 404, 406, 404])
    assert.equal((await session.listen()).status, 404)
    assert.equal((await session.listen({ 'last-event-id': '1.0' })).status, 404)

    // The index is found by the server's id alone.
    await t.test('and its new owner is not shown the sessions of the old', async () => {
      const mine = inOrganization('next')
      const path_ = `/sessions?server=${SECOND_ID}`
      assert.deepEqual((await rollcall.admin('GET', path_, undefined, mine)).json.items, [])
    })
  })

  it('takes ids and tokens of any script, and gives them back', async () => {
    const session = await openSession(rollcall, path)
    for (const value of ['', 'é', '日本語 😀', '"\\\u0000\r\n\u2028', 0, 2 ** 53 - 1]) {
      const stream = await session.stream(call('steps', value, { progressToken: value }))
      const messages = await messagesOf(stream)
      assert.equal(messages[0].params.progressToken, value)
      assert.deepEqual([messages.length, messages.at(-1).id], [3, value])
      assert.equal((await session.post(call('a', value))).json.id, value)
      assert.equal((await session.post(legacy('tools/list', {}, value))).json.id, value)
    }
  })

  it('refuses an id of a megabyte, and takes a token that is huge or none for no token', async () => {
    const session = await openSession(rollcall, path)
    const huge = 'x'.repeat(1_000_000)
    for (const message of [call('a', huge), legacy('tools/list', {}, huge)]) {
      const { status, json } = await session.post(message)
      assert.deepEqual([status, json.error.code, 'id' in json], [400, -32600, false])
    }
    const tokens = [huge, null, 1.5, {}, ['x'], true]
    const answers = tokens.map(async (progressToken) =>
      messagesOf(await session.stream(call('steps', 1, { progressToken }))),
    )
    for (const messages of await Promise.all(answers)) {
      assert.deepEqual([messages.length, messages.at(-1).id], [2, 1])
    }
    assert.equal((await session.post(cancelled(huge))).status, 202)
  })

  it('is not opened with a clientInfo of 5 KB or one that is no object', async () => {
    const open = (clientInfo: unknown) =>
      rollcall.post(path, legacy('initialize', { protocolVersion: '2025-11-25', clientInfo }))
    const long = await open({ name: 'x'.repeat(5000), version: '1' })
    assert.deepEqual([long.status, long.json.error.code], [200, -32602])
    assert.equal(long.headers.get('mcp-session-id'), null)
    for (const clientInfo of ['name', null, [], 5]) {
      const { json, headers } = await open(clientInfo)
      assert.deepEqual([json.error.code, headers.get('mcp-session-id')], [-32602, null])
    }
    for (const clientInfo of [{ name: 'x'.repeat(4000) }, {}, undefined]) {
      const { status, headers } = await open(clientInfo)
      assert.deepEqual([status, headers.get('mcp-session-id')?.length], [200, 64])
    }
  })

  it('§9.1: says -32002 of a subscription to nothing, and -32602 of one to no URI', async () => {
    const session = await openSession(rollcall, path)
    const subscribe = async (params: object) =>
      (await session.post(legacy('resources/subscribe', params))).json
    assert.equal((await subscribe({ uri: 'u:none' })).error.code, -32002)
    for (const params of [{}, { uri: 1 }, { uri: null }, { uri: ['u:1'] }]) {
      assert.equal((await subscribe(params)).error.code, -32602)
    }
    const unsubscribe = legacy('resources/unsubscribe', { uri: 'u:none' })
    assert.deepEqual((await session.post(unsubscribe)).json.result, {})
    assert.deepEqual((await subscribe({ uri: 'u:1' })).result, {})
    assert.deepEqual((await subscribe({ uri: 'u:1' })).result, {})
  })

  it('has at most 100 subscriptions, and a place again when one is given up', async () => {
    const session = await openSession(rollcall, path)
    const ask = (method: string, uri: string) =>
      session.post(legacy(`resources/${method}`, { uri }))
    for (let n = 0; n < 100; n++)
      assert.deepEqual((await ask('subscribe', `t:${n}`)).json.result, {})
    assert.deepEqual((await ask('subscribe', 't:0')).json.result, {})
    const refused = await ask('subscribe', 't:100')
    assert.equal(refused.status, 429)
    await ask('unsubscribe', 't:50')
    assert.deepEqual((await ask('subscribe', 't:100')).json.result, {})
  })

  // What was told of a resource is kept after the client gave it up, for ever.
  it('is not told of a change from before it subscribed, for all that it had subscribed once', async () => {
    const { json } = await rollcall.admin('POST', '/servers', serverFile('Again', TOOLS, FILE))
    const session = await openSession(rollcall, json.endpoint)
    const ask = (method: string) => session.post(legacy(`resources/${method}`, { uri: 'u:1' }))
    await ask('subscribe')
    await ask('unsubscribe')
    const changed = { ...FILE, resources: [resource('u:1', { text: 'new' }), resource('u:2')] }
    await rollcall.admin('PUT', `/servers/${json.id}`, serverFile('Again', TOOLS, changed))
    await eventually(
      () => session.post(legacy('resources/read', { uri: 'u:1' })),
      (answer) => answer.text.includes('new'),
    )
    await ask('subscribe')
    const stream = await session.listen()
    await rollcall.admin('POST', `/servers/${json.id}/tools`, tool('new'))
    const first = await stream.message()
    const next = await Promise.race([stream.message(), pause(1000, { method: 'none' })])
    stream.close()
    assert.deepEqual([first.method, next.method], [LIST_CHANGED, 'none'])
  })
})

describe('A cancellation', { concurrency: true }, () => {
  it('before the call, after it, and of nothing is taken and does nothing', async () => {
    const session = await openSession(rollcall, path)
    assert.equal((await session.post(cancelled(5))).status, 202)
    for (const id of [5, '5']) {
      const messages = await messagesOf(await session.stream(call('steps', id)))
      assert.deepEqual([messages.length, messages.at(-1).id], [2, id])
      assert.equal((await session.post(cancelled(id))).status, 202)
    }
    for (const id of [null, 1.5, {}, [5], undefined, '']) {
      assert.equal((await session.post(cancelled(id))).status, 202)
    }
    const again = await messagesOf(await session.listen({ 'last-event-id': '1.0' }))
    assert.equal(again.at(-1).id, 5)
  })

  it('is of its own session and of an id of the same type alone, and may come twice', async () => {
    const [session, other] = [await openSession(rollcall, path), await openSession(rollcall, path)]
    const stream = await session.stream(call('endless', 5))
    assert.equal((await stream.message()).params.data, 'begun')
    const patient = await session.stream(call('steps', 'patient'))
    assert.equal((await other.post(cancelled(5))).status, 202)
    assert.equal((await session.post(cancelled('5'))).status, 202)
    assert.equal((await messagesOf(patient)).at(-1).id, 'patient') // in that time nothing ended
    for (const id of [5, 5]) assert.equal((await session.post(cancelled(id))).status, 202)
    assert.deepEqual(await stream.rest(), [])
    const replay = await messagesOf(await session.listen({ 'last-event-id': '1.0' }))
    assert.deepEqual(
      replay.map(({ params }) => params.data),
      ['begun'],
    )
  })

  it('leaves a client that takes JSON alone with an empty 202', async () => {
    const session = await openSession(rollcall, path)
    const answer = session.post(call('endless', 'j'))
    const stop = async () => {
      await session.post(cancelled('j'))
      return Promise.race([answer, pause(20)])
    }
    const { status, text } = (await eventually(stop, (got) => got !== undefined)) ?? {}
    assert.deepEqual([status, text], [202, ''])
  })

  // The first call of an id is no longer known when the second has begun.
  it('of an id that was given to two calls at once ends both', async () => {
    const session = await openSession(rollcall, path)
    const two = [await session.stream(call('endless', 5)), await session.stream(call('endless', 5))]
    for (const stream of two) assert.equal((await stream.message()).params.data, 'begun')
    await session.post(cancelled(5))
    const rests = Promise.all(two.map((stream) => stream.rest()))
    const ended = await Promise.race([rests, pause(2000, 'one goes on')])
    for (const stream of two) stream.close()
    assert.deepEqual(ended, [[], []])
  })

  it('does not mix the answers of two calls that were given one id at once', async () => {
    const session = await openSession(rollcall, path)
    const streams = await Promise.all([1, 2].map(() => session.stream(call('steps', 5))))
    const both = await Promise.all(streams.map((stream) => stream.rest()))
    const ids = both.flatMap((events) => events.map(({ id }) => id))
    assert.equal(new Set(ids).size, 6)
    for (const events of both) assert.equal(JSON.parse(events.at(-1)?.data ?? '').id, 5)
  })
})

describe('subscriptions/listen', { concurrency: true }, () => {
  it('refuses a filter that is none, flags that are none, and URIs that are none or too many', async () => {
    const many = Array.from({ length: 101 }, (_, n) => `t:${n}`)
    const lists = ['u:1', { 0: 'u:1' }, [1], ['u:1', null], 5, null, many]
    const filters = [
      null,
      'tools',
      1,
      true,
      [],
      [{ toolsListChanged: true }],
      { toolsListChanged: 'yes' },
      { promptsListChanged: 1 },
      { resourcesListChanged: null },
      ...lists.map((resourceSubscriptions) => ({ resourceSubscriptions })),
    ]
    for (const filter of filters) {
      const stream = await openStream(rollcall.url + path, listenRequest(filter, 'x'))
      assert.match(stream.headers.get('content-type') ?? '', /json/, JSON.stringify(filter))
      stream.close()
      const body = modern('subscriptions/listen', { notifications: filter }, {}, 'x')
      const headers = modernHeaders('subscriptions/listen')
      const { status, json } = await rollcall.post(path, body, headers)
      assert.deepEqual([status, json.id, json.error.code], [200, 'x', -32602])
    }
  })

  it('takes 100 URIs, and acknowledges those there are; a flag that is false is not set', async () => {
    const uris = Array.from({ length: 99 }, (_, n) => `t:${n}`)
    const filter = {
      toolsListChanged: false,
      resourceSubscriptions: [...uris, 'u:none'],
      __proto__: null,
    }
    const stream = await openStream(rollcall.url + path, listenRequest(filter, 0))
    const { params } = await stream.message()
    assert.deepEqual(params.notifications, { resourceSubscriptions: uris })
    stream.close()
  })
})
