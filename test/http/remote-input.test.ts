/** `input_required` of a modern server on its way to a modern client and back. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADA, IDEA, ROOTS } from '../support/asked.ts'
import { createKey } from '../support/admin.ts'
import { CAPABILITIES_KEY } from '../support/downstreams.ts'
import { modern, modernHeaders } from '../support/messages.ts'
import { setUpModern } from '../support/remote-setups.ts'
import { startCrookedMcp } from '../support/upstreams/mcp-crooked.ts'

const ALL = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

type Asking = {
  path?: string
  method?: string
  name?: string
  capabilities?: object
  headers?: Record<string, string>
  id?: string | number
}

describe('What a modern server asks a modern client', () => {
  const at = setUpModern()

  /** Sends a request of what can ask. */
  const ask = (params: object, asking: Asking = {}) => {
    const { path = at.endpoint, method = 'tools/call', name = 'elicit' } = asking
    const { capabilities = ALL, headers = {}, id = 1 } = asking
    const named = method === 'resources/read' ? { uri: name } : { name }
    const message = modern(
      method,
      { ...named, ...params },
      { [CAPABILITIES_KEY]: capabilities },
      id,
    )
    return at.relay.rollcall.post(path, message, { ...modernHeaders(method, name), ...headers })
  }
  const told = ({ json }: { json: { result: { content: { text: string }[] } } }) =>
    JSON.parse(json.result.content[0]?.text ?? '')

  it('44: is passed on with each kind that it declared, and is not complete', async () => {
    const { status, json } = await ask({}, { name: 'several' })
    assert.equal(status, 200)
    const { resultType, inputRequests, requestState, content, ttlMs } = json.result
    assert.equal(resultType, 'input_required')
    assert.deepEqual(Object.keys(inputRequests), ['who', 'idea', 'where'])
    assert.equal(inputRequests.who.method, 'elicitation/create')
    assert.equal(inputRequests.who.params.message, 'Who are you?')
    assert.equal(inputRequests.where.method, 'roots/list')
    assert.deepEqual([requestState, content, ttlMs], [undefined, undefined, undefined])
    assert.equal(json.result._meta['io.modelcontextprotocol/serverInfo'].name, 'Remote 1')
  })

  for (const [method, name, member] of [
    ['tools/call', 'elicit', 'content'],
    ['prompts/get', 'asking', 'messages'],
    ['resources/read', 'memo://asking', 'contents'],
  ] as const) {
    it(`44: is asked of ${method}, whose retry under a new id is answered`, async () => {
      const first = await ask({}, { method, name })
      assert.equal(first.json.result.resultType, 'input_required')
      assert.deepEqual(Object.keys(first.json.result.inputRequests), ['who'])
      assert.equal('ttlMs' in first.json.result, false)
      const second = await ask({ inputResponses: { who: ADA } }, { method, name, id: 'again' })
      assert.equal(second.json.id, 'again')
      assert.equal(second.json.result.resultType, 'complete')
      const [{ text, content }] = second.json.result[member]
      assert.deepEqual(JSON.parse(text ?? content.text), { who: ADA })
    })

    it(`44: of ${method} is refused with an object where the client has not declared it`, async () => {
      const { status, json } = await ask({}, { method, name, capabilities: { sampling: {} } })
      assert.equal(status, 400)
      assert.equal(json.error.code, -32021)
      assert.equal(typeof json.error.data.requiredCapabilities.elicitation, 'object')
    })
  }

  it('44: is refused where one mode of several was not declared', async () => {
    for (const [name, capabilities] of [
      ['elicit_url', { elicitation: {} }],
      ['elicit', { elicitation: { url: {} } }],
      ['several', { elicitation: {}, sampling: {} }],
    ] as const) {
      const { status, json } = await ask({}, { name, capabilities })
      assert.deepEqual([status, json.error?.code], [400, -32021], name)
    }
    assert.equal((await ask({}, { capabilities: { elicitation: {} } })).status, 200)
  })

  it('44: is checked here too, whatever the remote server takes itself to be allowed', async () => {
    const crooked = await startCrookedMcp({ call: 'undeclared input' })
    try {
      const { endpoint: path } = await at.relay.serve(crooked.url)
      const list = await at.relay.rollcall.post(
        path,
        modern('tools/list'),
        modernHeaders('tools/list'),
      )
      const { name } = list.json.result.tools[0]
      const refused = await ask({}, { path, name, capabilities: { elicitation: {} } })
      assert.equal(refused.status, 400)
      assert.deepEqual(refused.json.error.data, { requiredCapabilities: { sampling: {} } })
      for (const call of ['unasked input', 'odd input'] as const) {
        crooked.behaviour.call = call
        assert.equal((await ask({}, { path, name })).json.result.isError, true)
      }
    } finally {
      await crooked.close()
    }
  })

  it('45: goes on for several rounds, by a state that is ours', async () => {
    const first = (await ask({}, { name: 'rounds' })).json.result
    assert.deepEqual(Object.keys(first.inputRequests), ['first'])
    assert.equal(at.upstream.world.states.has(first.requestState), false)
    for (const state of at.upstream.world.states.keys()) {
      assert.equal(first.requestState.includes(state), false)
    }
    const { requestState } = first
    const second = await ask({ requestState, inputResponses: { first: ADA } }, { name: 'rounds' })
    assert.deepEqual(Object.keys(second.json.result.inputRequests), ['second'])
    const last = await ask(
      { requestState: second.json.result.requestState, inputResponses: { second: IDEA } },
      { name: 'rounds' },
    )
    assert.deepEqual(told(last), { first: ADA, second: IDEA })
  })

  it('45: may be a state alone', async () => {
    const { result } = (await ask({}, { name: 'state_only' })).json
    assert.equal(result.resultType, 'input_required')
    assert.equal('inputRequests' in result, false)
    const { requestState } = result
    assert.deepEqual(told(await ask({ requestState }, { name: 'state_only' })), { again: true })
  })

  it('45: asks again for an answer that is missing, and ignores what nobody asked', async () => {
    const some = await ask({ inputResponses: { who: ADA, more: { x: 1 } } }, { name: 'several' })
    assert.deepEqual(Object.keys(some.json.result.inputRequests), ['idea', 'where'])
    const inputResponses = { who: ADA, idea: IDEA, where: ROOTS, more: 1 }
    const all = await ask({ inputResponses }, { name: 'several' })
    assert.deepEqual(told(all), { who: ADA, idea: IDEA, where: ROOTS })
    const none = await ask({ inputResponses: {} })
    assert.equal(none.json.result.resultType, 'input_required')
  })

  it('45: refuses answers that are no object', async () => {
    for (const inputResponses of [[], 'text', null, 1]) {
      assert.equal((await ask({ inputResponses })).json.error.code, -32602)
    }
  })

  it('45: refuses a state that was tampered with, or is of another request or caller', async () => {
    const key = await createKey(at.relay.rollcall, (await keyed()).id)
    const name = 'rounds'
    const { requestState } = (await ask({}, { name })).json.result
    const refused = async (params: object, asking: Asking = {}) => {
      const { json } = await ask({ requestState, ...params }, { name, ...asking })
      assert.equal(json.error?.code, -32602, JSON.stringify(json))
      assert.match(json.error.message, /requestState/)
    }
    const middle = requestState.length - 20
    const flipped = requestState[middle] === 'A' ? 'B' : 'A'
    const tampered = requestState.slice(0, middle) + flipped + requestState.slice(middle + 1)
    for (const state of [tampered, '', 'x', 'v1.k1.a.b', requestState.slice(1), 5, null, {}]) {
      await refused({ requestState: state })
    }
    await refused({}, { name: 'state_only' })
    await refused({ arguments: { more: 1 } })
    await refused({}, { name: 'asking', method: 'prompts/get' })
    await refused({}, { path: (await at.relay.serve(at.upstream.url)).endpoint })
    const [state] = at.upstream.world.states.keys()
    await refused({ requestState: state })

    const { endpoint: path } = await keyed()
    const other = await createKey(at.relay.rollcall, (await keyed()).id)
    const headers = { authorization: `Bearer ${key.secret}` }
    const own = (await ask({}, { path, name, headers })).json.result.requestState
    const foreign = { path, headers: { authorization: `Bearer ${other.secret}` } }
    await refused({ requestState: own }, foreign)
    const inputResponses = { first: ADA }
    const right = await ask({ requestState: own, inputResponses }, { path, name, headers })
    assert.deepEqual(Object.keys(right.json.result.inputRequests), ['second'])
  })

  let made: Promise<{ id: string; endpoint: string }> | undefined
  const keyed = () => (made ??= at.relay.serve(at.upstream.url, {}, { auth: 'key' }))

  it('45: is good with the same arguments, in whatever order', async () => {
    const name = 'rounds'
    const first = await ask({ arguments: { a: 1, b: { c: 2, d: 3 } } }, { name })
    const { requestState } = first.json.result
    const args = { b: { d: 3, c: 2 }, a: 1 }
    const inputResponses = { first: ADA }
    const second = await ask({ requestState, inputResponses, arguments: args }, { name })
    assert.equal(second.json.result.resultType, 'input_required')
  })
})
