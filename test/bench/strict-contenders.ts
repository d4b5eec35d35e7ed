/**
 * The contenders of strict residency: Rollcall that seals what it publishes, and as the floor Rollcall
 * that does not, under two names. All list the same server from memory, and look at KV every 5 s.
 */
import assert from 'node:assert/strict'
import { LIST } from '../support/messages.ts'
import {
  ask,
  bodyOf,
  closeContenders,
  JSON_HEADERS,
  type Contender,
  type ContenderName,
} from './contenders.ts'
import { launch } from './launch.ts'
import type { Message, Target } from './load.ts'
import { benchServer, pathOf, putServer, rollcall, STRICT } from './rollcall.ts'
import type { ListScenario } from './scenarios.ts'
import { benchTools } from './tools.ts'

const SETTINGS: readonly [ContenderName, Readonly<Record<string, string>>][] = [
  ['rollcall', STRICT],
  ['floor-a', {}],
  ['floor-b', {}],
]

/** Starts, fills and checks the contenders; the caller closes them. */
export async function startStrictContenders({ tools }: ListScenario): Promise<Contender[]> {
  const server = benchServer(benchTools(tools))
  const answers = new Set<string>()
  const started: Contender[] = []
  try {
    for (const [name, settings] of SETTINGS) {
      const launched = await launch(await rollcall(settings))
      const message: Message = {
        headers: JSON_HEADERS,
        body: bodyOf({ ...LIST, id: 0 }),
        status: 200,
        answerBytes: 0,
      }
      const target: Target = { url: launched.url, path: pathOf(server), messages: [message] }
      started.push({ name, launched, target })
      await putServer(launched.url, server)
      const { text } = await ask(target, message)
      message.answerBytes = Buffer.byteLength(text)
      answers.add(text)
    }
    assert.equal(answers.size, 1, 'all must answer alike')
    return started
  } catch (error) {
    await closeContenders(started)
    throw error
  }
}
