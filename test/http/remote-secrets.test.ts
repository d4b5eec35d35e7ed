/** A remote server that repeats the secret it is reached with, wherever it can say something. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createKey, untilPublished } from '../support/admin.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import {
  eventOf,
  sendError,
  sendEvents,
  sendResult,
  startRemote,
  type Answers,
  type Remote,
} from '../support/remote-mcp.ts'
import { openSession } from '../support/sessions.ts'

const SECRET = 'sekret-0123456789'
const NAME = 'x-api-key'

/** What the remote server was sent, from the request itself. */
const said = ({ headers }: { headers: Record<string, unknown> }) =>
  `you are ${String(headers[NAME])}`

const LEGACY: Answers = {
  'server/discover': (seen, response) => sendError(seen, response, { code: -32601, message: '' }),
  initialize: (seen, response) =>
    sendResult(
      seen,
      response,
      {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: said(seen), version: '1' },
        instructions: said(seen),
      },
      { 'mcp-session-id': 'a-session' },
    ),
  'tools/list': (seen, response) =>
    sendResult(seen, response, {
      tools: [{ name: 'a', description: said(seen), inputSchema: { type: 'object' } }],
    }),
}

const ASKING: Answers = {
  ...LEGACY,
  'tools/call': (seen, response) =>
    sendEvents(
      response,
      eventOf({
        jsonrpc: '2.0',
        id: 'question',
        method: 'elicitation/create',
        params: { message: said(seen), requestedSchema: { type: 'object', properties: {} } },
      }),
    ),
}

const MODERN: Answers = {
  'server/discover': {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
  },
  'tools/list': LEGACY['tools/list'] ?? {},
  'tools/call': (seen, response) =>
    sendError(
      seen,
      response,
      { code: -32021, message: 'no', data: { requiredCapabilities: { [said(seen)]: {} } } },
      400,
    ),
}

describe('The secret of a remote server', () => {
  let relay: Relay
  let remotes: Remote[] = []
  before(async () => {
    relay = await startRelay()
    await relay.rollcall.admin('PUT', '/secrets/key', { value: SECRET })
  })
  after(async () => {
    await relay.close()
    await Promise.all(remotes.map((remote) => remote.close()))
  })

  const serve = async (answers: Answers) => {
    const remote = await startRemote(answers)
    remotes.push(remote)
    const auth = { type: 'header', name: NAME, value: { secret: 'key' } }
    const server = await relay.serve(remote.url, { auth }, { auth: 'key' })
    const { secret } = await createKey(relay.rollcall, server.id)
    return { server, headers: { authorization: `Bearer ${secret}` } }
  }
  const hides = (text: string) => {
    assert.match(text, /\[REDACTED\]/)
    assert.doesNotMatch(text, new RegExp(SECRET))
  }

  it('is in none of its lists, nor in what is known of it, nor in KV', async () => {
    const { server, headers } = await serve(LEGACY)
    const { rollcall } = relay
    hides((await rollcall.admin('GET', `/servers/${server.id}`)).text)
    hides((await rollcall.post(server.endpoint, legacy('tools/list', {}), headers)).text)
    await untilPublished(rollcall, server.id)
    const env = await rollcall.harness.getWorker<{ CATALOG: KVNamespace }>().getEnv()
    const { keys } = await env.CATALOG.list({ prefix: `server:${server.id}` })
    const values = await Promise.all(keys.map(({ name }) => env.CATALOG.get(name)))
    assert.ok(values.some((value) => value?.includes('[REDACTED]')))
    for (const value of values) assert.doesNotMatch(value ?? '', new RegExp(SECRET))
  })

  it('is not in the problem of one that refuses us, nor in what its callers are told', async () => {
    let isUp = true
    const refuse: Answers[string] = (seen, response) =>
      isUp
        ? (LEGACY['initialize'] as Function)(seen, response)
        : sendError(seen, response, { code: -32000, message: said(seen) }, 400)
    const { server, headers } = await serve({
      ...LEGACY,
      initialize: refuse,
      'tools/call': (seen, response) => sendError(seen, response, { code: 1, message: 'x' }, 400),
    })
    isUp = false
    const call = legacy('tools/call', { name: 'a', arguments: {} })
    const calls = Array.from({ length: 3 }, () =>
      relay.rollcall.post(server.endpoint, call, headers),
    )
    for (const { text } of await Promise.all(calls)) hides(text)
    await relay.rollcall.admin('PATCH', `/servers/${server.id}`, {
      remote: { ...server.remote, timeoutSeconds: 9, headers: { 'x-other': '1' } },
    })
    hides((await relay.rollcall.admin('POST', `/servers/${server.id}/refresh`)).text)
    hides((await relay.rollcall.admin('GET', `/servers/${server.id}`)).text)
  })

  it('is not in a question it asks the client', async () => {
    const { server, headers } = await serve(ASKING)
    const session = await openSession(relay.rollcall, server.endpoint, {
      headers,
      capabilities: { elicitation: {} },
    })
    const stream = await session.stream(legacy('tools/call', { name: 'a', arguments: {} }))
    const question = await stream.message()
    assert.equal(question.method, 'elicitation/create')
    hides(JSON.stringify(question))
    await session.send('DELETE')
  })

  it('is not in the capabilities it says that it needs', async () => {
    const { server, headers } = await serve(MODERN)
    const message = modern('tools/call', { name: 'a', arguments: {} })
    const answer = await relay.rollcall.post(server.endpoint, message, {
      ...headers,
      ...modernHeaders('tools/call', 'a'),
    })
    hides(answer.text)
  })
})
