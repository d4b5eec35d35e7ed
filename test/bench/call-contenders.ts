/**
 * The contenders of a call scenario: Rollcall, and under two names a bare Worker that is sent the same
 * and makes the same request of the same upstream, with the same token where it needs one. A static tool
 * has no upstream; its floor is that of a list.
 */
import assert from 'node:assert/strict'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { buildContender } from './build.ts'
import { CONNECTIONS } from './compare.ts'
import {
  ask,
  bodyOf,
  closeContenders,
  JSON_HEADERS,
  type Contender,
  type ContenderName,
} from './contenders.ts'
import { launch, type Build, type Launched } from './launch.ts'
import type { Message, Target } from './load.ts'
import {
  benchServer,
  createKey,
  pathOf,
  putSecret,
  putServer,
  rollcall,
  type BenchServer,
} from './rollcall.ts'
import type { CallForm, CallScenario } from './scenarios.ts'
import { openSessions, SESSION_LIST, SETTINGS } from './sessions.ts'
import { benchTools, FORECAST, HANGING } from './tools.ts'
import { startUpstream } from './upstream.ts'

const OTHER_TOOLS = 49
const SECRET = 'upstream-token'
const TOKEN = 'bench-upstream-token'
const CALL = { name: FORECAST.name, arguments: { city: 'Bonn' } }
const FLOORS: readonly ContenderName[] = ['floor-a', 'floor-b']

/** Settings of a Rollcall that may call loopback. */
export const CALLING = { ...SETTINGS, DEVELOPMENT: '1', ALLOW_PRIVATE_UPSTREAMS: '1' }

/** Starts, fills and checks the contenders; the caller closes them. */
export async function startCallContenders(scenario: CallScenario): Promise<Contender[]> {
  const { url } = await startUpstream()
  const started: Contender[] = []
  try {
    const { launched, target, answer } = await startCallTarget(scenario)
    started.push({ name: 'rollcall', launched, target })
    const build = await floorOf(scenario, url, answer)
    for (const name of FLOORS) {
      const floor = await launch(build)
      const [{ headers, body }] = target.messages
      const sent = scenario.session ? JSON_HEADERS : headers
      const message = { headers: sent, body, status: 200, answerBytes: 0 }
      const bare: Target = { url: floor.url, path: '/', messages: [message] }
      started.push({ name, launched: floor, target: bare })
      assert.deepEqual(
        contentOf(await measureAnswer(bare)),
        contentOf(answer),
        `${name} must answer alike`,
      )
    }
    return started
  } catch (error) {
    await closeContenders(started)
    throw error
  }
}

/** Rollcall with the tool of a scenario, and a call of it that has been made once. */
export async function startCallTarget(
  scenario: CallForm,
): Promise<{ launched: Launched; target: Target; answer: string }> {
  const { url } = await startUpstream()
  const launched = await launch(await rollcall(CALLING))
  try {
    const server = serverOf(scenario, url)
    const key = await fill(launched.url, server)
    const place = { url: launched.url, path: pathOf(server) }
    const target = await targetOf(scenario, place, key)
    return { launched, target, answer: await measureAnswer(target) }
  } catch (error) {
    await launched.close()
    throw error
  }
}

/** The server of a scenario: fifty tools, one of which is called, or the remote server's one. */
function serverOf({ via, secret }: CallForm, upstream: string): BenchServer {
  if (via === 'modern' || via === 'legacy')
    return { ...benchServer([]), remote: `${upstream}/${via}` }
  const auth = secret && { auth: { type: 'bearer', token: { secret: SECRET } } }
  const http = { kind: 'http', url: `${upstream}/weather/{city}`, ...auth }
  const called = { ...FORECAST, ...(via === 'http' && { handler: http }) }
  const hanging = { ...HANGING, handler: { kind: 'http', url: `${upstream}/hang/{city}` } }
  const tools = [...benchTools(OTHER_TOOLS), called, ...(via === 'http' ? [hanging] : [])]
  return benchServer(tools, { auth: secret ? 'key' : 'none' })
}

/** Puts a server, and the secret of its tool where it has one; the key that opens it then. */
async function fill(url: URL, server: BenchServer): Promise<string | undefined> {
  if (server.auth === 'key') await putSecret(url, SECRET, TOKEN)
  await putServer(url, server)
  return server.auth === 'key' ? createKey(url, server, [FORECAST.name]) : undefined
}

/** Calls of a server's tool, as the scenario makes them. */
async function targetOf(
  { era, session }: CallForm,
  place: Pick<Target, 'url' | 'path'>,
  key?: string,
): Promise<Target> {
  const message: Message = {
    headers: {
      ...(session ? SESSION_LIST.headers : JSON_HEADERS),
      ...(era === 'modern' && modernHeaders('tools/call', CALL.name)),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: bodyOf(
      era === 'modern' ? modern('tools/call', CALL, {}, 0) : legacy('tools/call', CALL, 0),
    ),
    status: 200,
    answerBytes: 0,
    ...(session && { isStream: true }),
  }
  if (!session) return { ...place, messages: [message] }
  return { ...place, messages: [message], sessions: await openSessions(place, CONNECTIONS) }
}

/** Calls once, and has each answer be as long as the one that came, which is given. */
async function measureAnswer(target: Target): Promise<string> {
  const { messages, sessions } = target
  const [message] = messages
  const session = sessions?.[0]
  const { text } = await ask(
    target,
    message,
    session === undefined ? {} : { 'mcp-session-id': session },
  )
  message.answerBytes = Buffer.byteLength(text)
  return text
}

function contentOf(answer: string): unknown {
  const [json = ''] = /\{"jsonrpc".*\}/.exec(answer) ?? []
  const { result } = JSON.parse(json)
  assert.notEqual(result.isError, true, answer)
  return result.content
}

async function floorOf(
  { via, secret }: CallForm,
  upstream: string,
  answer: string,
): Promise<Build> {
  if (via === 'static') {
    const REST = Uint8Array.from(Buffer.from(answer.slice(answer.indexOf(',"result"'))))
    return { name: 'floor', script: await buildContender('floor'), data: { REST } }
  }
  const name = via === 'http' ? 'call-floor' : 'relay-floor'
  const value = `${upstream}/${via === 'http' ? 'weather' : via}`
  const script = await buildContender(name)
  const token = secret && { TOKEN: { type: 'text' as const, value: TOKEN } }
  return { name, script, env: { UPSTREAM: { type: 'text', value }, ...token } }
}
