import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createKey, listedNames, toolNames, untilPublished } from '../support/admin.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { refresh, serverOf } from '../support/remote-records.ts'
import { sendJson } from '../support/upstreams/recording.ts'
import { startRemote } from '../support/remote-mcp.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { openSession } from '../support/sessions.ts'
import { startLegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import { startModernMcp } from '../support/upstreams/mcp-modern.ts'
import type { Recording } from '../support/upstreams/recording.ts'

let relay: Relay
before(async () => {
  relay = await startRelay()
})
after(() => relay.close())

const open: { close(): Promise<void> }[] = []
const keep = <T extends { close(): Promise<void> }>(upstream: T): T => {
  open.push(upstream)
  return upstream
}
after(() => Promise.all(open.map((upstream) => upstream.close())))

/** Asks as a client of each era does, in a session and alone. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
type Ask = (endpoint: string, method: string, params: object, name?: string) => Promise<any>
const CLIENTS: Readonly<Record<string, Ask>> = {
  'a client alone': async (endpoint, method, params) =>
    (await relay.rollcall.post(endpoint, legacy(method, params))).json,
  'a session': async (endpoint, method, params) =>
    (await (await openSession(relay.rollcall, endpoint)).post(legacy(method, params))).json,
  'a client of the stateless era': async (endpoint, method, params, name) =>
    (await relay.rollcall.post(endpoint, modern(method, params), modernHeaders(method, name))).json,
}
const UPSTREAMS = {
  legacy: () => startLegacyMcp({ kind: 'sessions' }),
  modern: () => startModernMcp({ kind: 'modern' }),
}

for (const [era, start] of Object.entries(UPSTREAMS)) {
  describe(`What a ${era} server offers beside tools`, () => {
    let endpoint: string
    before(async () => {
      const upstream = keep<Recording>(await start())
      ;({ endpoint } = await relay.serve(upstream.url))
    })
    for (const [client, ask] of Object.entries(CLIENTS)) {
      it(`is had by ${client}: prompts`, async () => {
        const { result } = await ask(
          endpoint,
          'prompts/get',
          { name: 'greet', arguments: { name: 'Ada' } },
          'greet',
        )
        assert.equal(result.messages[0].content.text, 'Greet Ada, plainly')
        const { error } = await ask(endpoint, 'prompts/get', { name: 'none' }, 'none')
        assert.equal(error.code, -32602)
      })

      it(`is had by ${client}: resources, listed or only linked to`, async () => {
        const read = async (uri: string) => ask(endpoint, 'resources/read', { uri }, uri)
        const one = (await read('memo://one')).result
        assert.deepEqual(one.contents, [
          { uri: 'memo://one', mimeType: 'text/plain', text: 'the first memo' },
        ])
        assert.equal(one.cacheScope, client.includes('stateless') ? 'private' : undefined)
        assert.equal((await read('memo://blob')).result.contents[0].blob, 'AAEC/w==')
        assert.equal((await read('memo://notes/a%20b')).result.contents[0].text, 'note a b')
        const missing = client.includes('stateless') ? -32602 : -32002
        assert.equal((await read('memo://none')).error.code, missing)
      })

      it(`is had by ${client}: templates and completions`, async () => {
        const { result } = await ask(endpoint, 'resources/templates/list', {})
        assert.equal(result.resourceTemplates[0].uriTemplate, 'memo://notes/{id}')
        const rows: [object, object, string[]][] = [
          [{ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' }, ['Ada', 'Alan']],
          [
            { type: 'ref/resource', uri: 'memo://notes/{id}' },
            { name: 'id', value: '1' },
            ['1', '10'],
          ],
        ]
        for (const [ref, argument, values] of rows) {
          const { result: found } = await ask(endpoint, 'completion/complete', { ref, argument })
          assert.deepEqual(found.completion.values, values)
        }
      })
    }
  })
}

describe('What a remote server offers under names of its own', () => {
  it('is asked for there by those names', async () => {
    const odd = `größe ${'x'.repeat(900)}`
    const template = 'memo://{+path}{?q*}{;odd:3}'
    const upstream = keep(
      await startRemote({
        initialize: {
          protocolVersion: '2025-11-25',
          capabilities: { prompts: {}, resources: {}, completions: {} },
        },
        'server/discover': (_seen, response) => sendJson(response, {}, 404),
        'prompts/list': { prompts: [{ name: odd }, { name: odd }] },
        'resources/list': { resources: [] },
        'resources/templates/list': {
          resourceTemplates: [{ uriTemplate: template, name: 'odd' }],
        },
        'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'got' } }] },
        'completion/complete': { completion: { values: ['x'] } },
        'resources/read': { contents: [{ uri: 'memo://a?q=1', text: 'read' }] },
      }),
    )
    const { id, endpoint } = await relay.serve(upstream.url)
    const list = await relay.rollcall.post(endpoint, legacy('prompts/list'))
    const [{ name }] = list.json.result.prompts
    assert.match(name, /^[A-Za-z0-9_.-]{1,64}$/)
    const ask = async (method: string, params: object) =>
      (await relay.rollcall.post(endpoint, legacy(method, params))).json.result
    assert.equal((await ask('prompts/get', { name })).messages[0].content.text, 'got')
    const ref = { type: 'ref/prompt', name }
    await ask('completion/complete', { ref, argument: { name: 'a', value: '' } })
    const resource = { type: 'ref/resource', uri: template }
    await ask('completion/complete', { ref: resource, argument: { name: 'q', value: '' } })
    assert.equal((await ask('resources/read', { uri: 'memo://a?q=1' })).contents[0].text, 'read')
    const sent = upstream.messages()
    assert.equal(sent.find(({ method }) => method === 'prompts/get').params.name, odd)
    assert.deepEqual(
      sent.filter(({ method }) => method === 'completion/complete').map(({ params }) => params.ref),
      [{ type: 'ref/prompt', name: odd }, resource],
    )
    assert.deepEqual((await serverOf(relay.rollcall, id)).upstream.left, [
      { name: odd.slice(0, 128), reason: 'stands twice' },
    ])
  })
})

describe('What an operator changes of remote tools', () => {
  it('stays through refreshes, and calls find the tool behind it', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const { id, endpoint } = await relay.serve(upstream.url)
    const patch = (name: string, members: object) =>
      relay.rollcall.admin('PATCH', `/servers/${id}/tools/${name}`, members)
    const changes = {
      name: 'say',
      title: 'Say it',
      description: 'Says what you say',
      annotations: { readOnlyHint: false },
      sortOrder: 0,
    }
    assert.equal((await patch('echo', changes)).status, 200)
    assert.equal((await patch('add', { status: 'paused' })).status, 200)
    await upstream.world.addTool('echo_2')
    await refresh(relay.rollcall, id)
    await untilPublished(relay.rollcall, id)
    const { json } = await relay.rollcall.post(endpoint, legacy('tools/list'), {
      'mcp-protocol-version': '2025-11-25',
    })
    const [first] = json.result.tools
    const { name, title, description, annotations } = first
    assert.deepEqual(
      { name, title, description, annotations },
      {
        name: 'say',
        title: 'Say it',
        description: 'Says what you say',
        annotations: { readOnlyHint: false, idempotentHint: true },
      },
    )
    const call = async (tool: string, args: object = {}) =>
      (await relay.rollcall.post(endpoint, legacy('tools/call', { name: tool, arguments: args })))
        .json
    assert.equal((await call('say', { text: 'hi' })).result.content[0].text, 'hi')
    const seen = upstream.requests.length
    for (const hidden of ['echo', 'add']) {
      assert.equal((await call(hidden, { a: 1, b: 2 })).error.code, -32602)
    }
    assert.equal(upstream.requests.length, seen)
    await upstream.world.removeTool('echo')
    await refresh(relay.rollcall, id)
    assert.equal((await toolNames(relay.rollcall, id)).includes('say'), false)
    await upstream.world.setTool({
      definition: { name: 'echo', inputSchema: { type: 'object' } },
      run: () => ({ content: [] }),
    })
    await refresh(relay.rollcall, id)
    assert.equal((await toolNames(relay.rollcall, id)).includes('say'), true)
  })

  it('holds for keys of some tools, by the names they are shown under', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const overrides = { echo: { name: 'say' } }
    const { id, endpoint } = await relay.serve(upstream.url, {}, { auth: 'key', overrides })
    const { secret } = await createKey(relay.rollcall, id, { tools: ['say'] })
    assert.deepEqual(await listedNames(relay.rollcall, endpoint, secret), ['say'])
    const call = (name: string) =>
      relay.rollcall.post(
        endpoint,
        legacy('tools/call', { name, arguments: { text: 'x', a: 1, b: 2 } }),
        { authorization: `Bearer ${secret}` },
      )
    assert.equal((await call('say')).json.result.content[0].text, 'x')
    assert.equal((await call('add')).json.error.code, -32602)
  })

  it('goes along with copies and comes back with a rollback', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const { id } = await relay.serve(upstream.url, {}, { overrides: { echo: { name: 'say' } } })
    const first = await untilPublished(relay.rollcall, id)
    const copy = await relay.rollcall.admin('POST', `/servers/${id}/duplicate`)
    const text = async (endpoint: string, name: string) =>
      (
        await relay.rollcall.post(
          endpoint,
          legacy('tools/call', { name, arguments: { text: 'copied' } }),
        )
      ).json.result?.content[0].text
    assert.equal(await text(copy.json.endpoint, 'say'), 'copied')
    await relay.rollcall.admin('PATCH', `/servers/${id}`, { overrides: null })
    const body = { revision: first.revision }
    const rolled = await relay.rollcall.admin('POST', `/servers/${id}/rollback`, body)
    assert.equal(rolled.status, 200, rolled.text)
    assert.equal(await text(rolled.json.endpoint, 'say'), 'copied')
  })
})
