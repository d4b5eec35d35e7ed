/** Remote servers that answer what they should not, and clients that ask for too much of them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import {
  sendError,
  sendResult,
  startRemote,
  type Answers,
  type Remote,
} from '../support/remote-mcp.ts'
import { openSession } from '../support/sessions.ts'

const CAPABILITIES = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} }
const LISTS: Answers = {
  'tools/list': { tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
  'prompts/list': { prompts: [{ name: 'p' }] },
  'resources/list': { resources: [{ uri: 'x:1', name: 'x' }] },
  'resources/templates/list': { resourceTemplates: [] },
}
const LEGACY: Answers = {
  ...LISTS,
  'server/discover': (seen, response) => sendError(seen, response, { code: -32601, message: '' }),
  initialize: (seen, response) =>
    sendResult(
      seen,
      response,
      { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, serverInfo: { name: 'x' } },
      { 'mcp-session-id': 'a-session' },
    ),
  'resources/subscribe': {},
}
const MODERN: Answers = {
  ...LISTS,
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES },
}
const QUESTIONS = {
  resultType: 'input_required',
  inputRequests: { q: { method: 'roots/list', params: {} } },
  content: [{ type: 'text', text: 'an answer' }],
  completion: { values: [] },
}

describe('A crooked remote server', () => {
  let relay: Relay
  const remotes: Remote[] = []
  before(async () => {
    relay = await startRelay()
  })
  after(async () => {
    await relay.close()
    await Promise.all(remotes.map((remote) => remote.close()))
  })

  const serve = async (answers: Answers): Promise<{ remote: Remote; path: string }> => {
    const remote = await startRemote(answers)
    remotes.push(remote)
    return { remote, path: (await relay.serve(remote.url)).endpoint }
  }
  const ask = async (path: string, method: string, params: object, name?: string) => {
    const message = modern(method, params, { roots: {} })
    const { json } = await relay.rollcall.post(path, message, modernHeaders(method, name))
    return json
  }

  // Only calls, prompts and resources may be answered so (mcp-protocol.md §4.8).
  it('cannot ask for input by a completion', async () => {
    const { path } = await serve({ ...MODERN, 'completion/complete': QUESTIONS })
    const ref = { type: 'ref/prompt', name: 'p' }
    const params = { ref, argument: { name: 'n', value: '' } }
    assert.equal((await ask(path, 'completion/complete', params)).error.code, -32603)
  })

  it('cannot ask for input in a result of the session era', async () => {
    const { path } = await serve({ ...LEGACY, 'tools/call': QUESTIONS })
    const { result } = await ask(path, 'tools/call', { name: 'a', arguments: {} }, 'a')
    assert.equal(result.resultType, 'complete')
    assert.deepEqual(result.content, QUESTIONS.content)
  })

  const shapes: [string, object, object][] = [
    ['resources/read', { uri: 'x:1' }, { contents: [1] }],
    ['resources/read', { uri: 'x:1' }, { contents: [{ text: 'without a uri' }] }],
    ['prompts/get', { name: 'p' }, { messages: ['x'] }],
    ['prompts/get', { name: 'p' }, { messages: [{ role: 'system', content: {} }] }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'n', value: '' } },
      { completion: { values: 'x' } },
    ],
  ]
  for (const [method, params, answer] of shapes) {
    it(`has ${method} refused that answers ${JSON.stringify(answer)}`, async () => {
      const { path } = await serve({ ...LEGACY, [method]: answer })
      const { json } = await relay.rollcall.post(path, legacy(method, params))
      assert.equal(json.error?.code, -32603)
    })
  }

  it('is subscribed to nothing for a session that is not there, or by a URI without end', async () => {
    const { remote, path } = await serve(LEGACY)
    const subscribe = (uri: string) => legacy('resources/subscribe', { uri })
    const session = await openSession(relay.rollcall, path)
    assert.equal((await session.post(subscribe('x'.repeat(5000)))).json.error.code, -32002)
    await session.send('DELETE')
    assert.equal((await session.post(subscribe('x:gone'))).status, 404)
    const other = await openSession(relay.rollcall, path)
    assert.deepEqual((await other.post(subscribe('x:1'))).json.result, {})
    await remote.untilRequest(({ body }) => body?.method === 'resources/subscribe')
    const uris = remote.messages().filter(({ method }) => method === 'resources/subscribe')
    assert.deepEqual(
      uris.map(({ params }) => params.uri),
      ['x:1'],
    )
  })
})
