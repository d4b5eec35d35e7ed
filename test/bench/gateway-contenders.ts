/**
 * The contenders of a gateway scenario: Rollcall with an organization of which a caller sees one
 * connector in five, and the floor of one event under two names. For a second caller the floor is
 * Rollcall itself with the first, so that the one is measured by the other.
 */
import assert from 'node:assert/strict'
import { LIST } from '../support/messages.ts'
import { buildContender } from './build.ts'
import {
  ask,
  bodyOf,
  closeContenders,
  JSON_HEADERS,
  PROBE_ID,
  type Contender,
  type ContenderName,
} from './contenders.ts'
import { fillGateway, type Callers } from './gateway.ts'
import { launch, type Launched } from './launch.ts'
import type { Message, Target } from './load.ts'
import { rollcall } from './rollcall.ts'
import type { GatewayScenario } from './scenarios.ts'

const OPENING = `event: message\ndata: {"jsonrpc":"2.0","id":${PROBE_ID}`
const FLOORS: readonly ContenderName[] = ['floor-a', 'floor-b']

/** Starts, fills and checks the contenders; the caller closes them. */
export async function startGatewayContenders(scenario: GatewayScenario): Promise<Contender[]> {
  const started: Contender[] = []
  try {
    const { launched, callers } = await startRollcall()
    const key = scenario.caller === 'second' ? callers.second : callers.first
    // The first caller comes before the second: what is made for it is there then.
    await askAs(launched, callers.first)
    const { target, answer } = await askAs(launched, key)
    started.push({ name: 'rollcall', launched, target })
    assert(answer.startsWith(OPENING), 'Rollcall must answer in the form the floor splices')
    for (const name of FLOORS) {
      started.push(
        scenario.caller === 'second'
          ? await startFirst(name)
          : await startFloor(name, target, answer.slice(OPENING.length)),
      )
    }
    return started
  } catch (error) {
    await closeContenders(started)
    throw error
  }
}

async function startRollcall(): Promise<{ launched: Launched; callers: Callers }> {
  const launched = await launch(await rollcall())
  try {
    return { launched, callers: await fillGateway(launched.url) }
  } catch (error) {
    await launched.close()
    throw error
  }
}

/** Rollcall with the first caller, in the place of a floor. */
async function startFirst(name: ContenderName): Promise<Contender> {
  const { launched, callers } = await startRollcall()
  const { target } = await askAs(launched, callers.first)
  return { name, launched, target }
}

async function startFloor(name: ContenderName, to: Target, rest: string): Promise<Contender> {
  const script = await buildContender('event-floor')
  const data = { REST: Uint8Array.from(Buffer.from(rest)) }
  const launched = await launch({ name: 'event-floor', script, data })
  return { name, launched, target: { ...to, url: launched.url } }
}

/** What a caller asks for the list with, and the answer. */
async function askAs({ url }: Launched, key: string): Promise<{ target: Target; answer: string }> {
  const message: Message = {
    headers: {
      ...JSON_HEADERS,
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${key}`,
    },
    body: bodyOf({ ...LIST, id: 0 }),
    status: 200,
    answerBytes: 0,
  }
  const target: Target = { url, path: '/mcp', messages: [message] }
  const { text: answer } = await ask(target, message)
  message.answerBytes = Buffer.byteLength(answer)
  return { target, answer }
}
