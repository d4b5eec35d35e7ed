/** Many calls at once, half of them to upstreams that hang. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createServer } from '../support/admin.ts'
import { modernCall } from '../support/downstreams.ts'
import { httpTool } from '../support/http-tools.ts'
import { legacy } from '../support/messages.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { serverFile } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'
import { startHttpApi, type HttpApi } from '../support/upstreams/http-api.ts'
import { startLegacyMcp, type LegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import { startModernMcp, type ModernMcp } from '../support/upstreams/mcp-modern.ts'
import type { Recording, SeenRequest } from '../support/upstreams/recording.ts'

const HALF = 100
const ROUNDS = 3
const SLACK_MS = 15 // what a busy machine adds to a median of some milliseconds
const SESSION_CALLS = 40 // a session has a bound of its own

type Calls = {
  upstream: Recording
  isHanging: (seen: SeenRequest) => boolean
  /** A call that hangs, and one that is answered. */
  hang: (signal: AbortSignal) => Promise<unknown>
  quick: () => Promise<unknown>
}

describe('200 calls at once, half to an upstream that hangs', () => {
  let relay: Relay
  let api: HttpApi
  let session: LegacyMcp
  let modern: ModernMcp
  before(async () => {
    relay = await startRelay()
    api = await startHttpApi()
    session = await startLegacyMcp({ kind: 'sessions' })
    modern = await startModernMcp({ kind: 'modern' })
  })
  after(async () => {
    await Promise.all([api.close(), session.close(), modern.close()])
    await relay.close()
  })

  /** POSTs a call, and gives its answer. */
  const call = async (path: string, name: string, signal?: AbortSignal) => {
    const response = await fetch(relay.rollcall.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(legacy('tools/call', { name, arguments: { text: 'quick' } })),
      signal: signal ?? null,
    })
    return response.text()
  }

  it('answers the other half of HTTP tools as if it was alone', async () => {
    const tools = [
      httpTool('hang', { url: `${api.url}/hang` }),
      httpTool('quick', { url: `${api.url}/echo` }),
    ]
    const { endpoint } = await createServer(relay.rollcall, serverFile('Load', tools))
    await requireUnharmed({
      upstream: api,
      isHanging: ({ path }) => path === '/hang',
      hang: (signal) => call(endpoint, 'hang', signal),
      quick: async () => assert.match(await call(endpoint, 'quick'), /"result"/),
    })
  })

  it('answers the other half of a remote server as if it was alone', async () => {
    const { endpoint } = await relay.serve(session.url)
    await requireUnharmed({
      upstream: session,
      isHanging: ({ body }) => body?.params?.name === 'slow',
      hang: (signal) => call(endpoint, 'slow', signal),
      quick: async () => assert.match(await call(endpoint, 'echo'), /quick/),
    })
  })

  it('answers another remote server and modern clients as if they were alone', async () => {
    const hanging = await relay.serve(session.url)
    const { endpoint } = await relay.serve(modern.url)
    await requireUnharmed({
      upstream: session,
      isHanging: ({ body }) => body?.params?.name === 'slow',
      hang: (signal) => call(hanging.endpoint, 'slow', signal),
      async quick() {
        const url = relay.rollcall.url + endpoint
        const stream = await modernCall(url, 'echo', { args: { text: 'quick' } })
        assert.equal((await stream.message()).result.content[0].text, 'quick')
      },
    })
  })

  it('answers within a session, too, whatever else is under way in it', async () => {
    const { endpoint } = await relay.serve(modern.url)
    const own = await openSession(relay.rollcall, endpoint)
    const slow = { name: 'slow', arguments: { key: 'in a session' } }
    const streams = await Promise.all(
      Array.from({ length: SESSION_CALLS }, (_, id) => own.stream(legacy('tools/call', slow, id))),
    )
    const echo = { name: 'echo', arguments: { text: 'quick' } }
    const answers = await Promise.all(
      Array.from({ length: SESSION_CALLS }, (_, id) =>
        own.post(legacy('tools/call', echo, `q${id}`)),
      ),
    )
    for (const { json } of answers) assert.equal(json.result.content[0].text, 'quick')
    modern.world.release('in a session')
    for (const [id, stream] of streams.entries()) assert.equal((await stream.message()).id, id)
  })
})

/** The quick half's median beside calls that hang is at most twice its median alone. */
async function requireUnharmed({ upstream, isHanging, hang, quick }: Calls): Promise<void> {
  const medianOfHalf = async () => {
    const times = await Promise.all(
      Array.from({ length: HALF }, async () => {
        const at = performance.now()
        await quick()
        return performance.now() - at
      }),
    )
    return median(times)
  }
  const medianOfRounds = async () => {
    const rounds: number[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await medianOfHalf())
    return median(rounds)
  }
  await medianOfHalf() // what is first is slower
  const alone = await medianOfRounds()
  const seenBefore = upstream.requests.length
  const leaving = new AbortController()
  const hung = Array.from({ length: HALF }, () => hang(leaving.signal).catch(() => 'left'))
  let hanging = 0
  await upstream.untilRequest(
    (seen) =>
      isHanging(seen) && upstream.requests.indexOf(seen) >= seenBefore && ++hanging === HALF,
  )
  const beside = await medianOfRounds()
  leaving.abort()
  assert.deepEqual(new Set(await Promise.all(hung)), new Set(['left']))
  assert.ok(
    beside <= 2 * alone + SLACK_MS,
    `${beside.toFixed(1)} ms beside calls that hang, ${alone.toFixed(1)} ms alone`,
  )
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
