/**
 * The contenders of a session scenario: Rollcall, and the floor with an object for each session under
 * two names. A request in a new session is `initialize`, `notifications/initialized` and a list; its
 * floor is the list alone, in sessions that are open.
 */
import assert from 'node:assert/strict'
import { buildContender } from './build.ts'
import { CONNECTIONS } from './compare.ts'
import { ask, closeContenders, PROBE_ID, type Contender, type ContenderName } from './contenders.ts'
import { launch, type Build } from './launch.ts'
import type { Target } from './load.ts'
import { benchServer, pathOf, putServer, rollcall } from './rollcall.ts'
import type { SessionScenario } from './scenarios.ts'
import {
  INITIALIZE,
  INITIALIZED,
  listIn,
  openSession,
  openSessions,
  SESSION_LIST,
  SETTINGS,
} from './sessions.ts'
import { benchTools } from './tools.ts'

/** New sessions of a slice: each stays in memory for ten seconds, and the address has its limit. */
const NEW_SESSIONS = 200
const OPENING = `event: message\ndata: {"jsonrpc":"2.0","id":${PROBE_ID}`
const CLOSING = '\n\n'
const FLOORS: readonly ContenderName[] = ['floor-a', 'floor-b']

/** Starts, fills and checks the contenders; the caller closes them. */
export async function startSessionContenders(scenario: SessionScenario): Promise<Contender[]> {
  const script = await buildContender('session-floor')
  const started: Contender[] = []
  try {
    const { contender, answer } = await startRollcall(scenario)
    started.push(contender)
    assert(answer.startsWith(OPENING), 'Rollcall must answer in the form the floor splices')
    const build = floor(script, answer.slice(OPENING.length, -CLOSING.length))
    const list = { ...SESSION_LIST, answerBytes: Buffer.byteLength(answer) }
    const count = scenario.sessions === 'new' ? CONNECTIONS : scenario.sessions
    for (const name of FLOORS) {
      const launched = await launch(build)
      const sessions: string[] = []
      const target: Target = { ...contender.target, url: launched.url, messages: [list], sessions }
      started.push({ name, launched, target })
      sessions.push(...(await openSessions(target, count)))
      for (const session of sessions) {
        assert.equal(await listIn(target, session), answer, `${name} must answer alike`)
      }
    }
    return started
  } catch (error) {
    await closeContenders(started)
    throw error
  }
}

function floor(script: string, rest: string): Build {
  const name = 'session-floor'
  return {
    name,
    script,
    env: { ECHO: { type: 'durable-object', worker: name, exportName: 'Echo' } },
    exports: { Echo: { type: 'durable-object', storage: 'sqlite' } },
    data: { REST: Uint8Array.from(Buffer.from(rest)) },
  }
}

async function startRollcall({
  tools,
  sessions,
}: SessionScenario): Promise<{ contender: Contender; answer: string }> {
  const server = benchServer(benchTools(tools))
  const launched = await launch(await rollcall(SETTINGS))
  try {
    await putServer(launched.url, server)
    const place = { url: launched.url, path: pathOf(server) }
    const opened = await ask(place, INITIALIZE)
    const answer = await listIn(place, await openSession(place))
    const list = { ...SESSION_LIST, answerBytes: Buffer.byteLength(answer) }
    const initialize = { ...INITIALIZE, answerBytes: Buffer.byteLength(opened.text) }
    const target: Target =
      sessions === 'new'
        ? { ...place, messages: [initialize, INITIALIZED, list] }
        : { ...place, messages: [list], sessions: await openSessions(place, sessions) }
    const requests = sessions === 'new' ? { requests: NEW_SESSIONS } : {}
    return { contender: { name: 'rollcall', launched, target, ...requests }, answer }
  } catch (error) {
    await launched.close()
    throw error
  }
}
