/**
 * The contenders of a list scenario, each in a process of its own: Rollcall, the floor under two
 * names, and mcp-lite where the scenario has it. The floor's bytes are Rollcall's answer, so both
 * send the same; each contender's first answer is compared before anything is measured.
 */
import assert from 'node:assert/strict'
import { LIST, modern, modernHeaders } from '../support/messages.ts'
import { buildContender } from './build.ts'
import { launch, type Build, type Launched } from './launch.ts'
import type { Message, Target } from './load.ts'
import { benchServer, createKey, pathOf, putServer, rollcall } from './rollcall.ts'
import type { ListScenario } from './scenarios.ts'
import { benchTools, type BenchTool } from './tools.ts'

export type ContenderName = 'floor-a' | 'floor-b' | 'rollcall' | 'mcp-lite'

export type Contender = {
  name: ContenderName
  launched: Launched
  target: Target
  /** Requests of its slices, where one of its takes far more than one of the others'. */
  requests?: number
}

export const PROBE_ID = 9_999_999 // as long as the ids of the load
export const JSON_HEADERS = { 'content-type': 'application/json' }

/** Starts, fills and checks the contenders; the caller closes them. */
export async function startContenders(scenario: ListScenario): Promise<Contender[]> {
  const tools = benchTools(scenario.tools)
  const [floor, peer] = await Promise.all([buildContender('floor'), buildContender('mcp-lite')])
  const started: Contender[] = []
  try {
    const { contender, answer } = await startRollcall(scenario, tools)
    started.push(contender)
    const opening = `{"jsonrpc":"2.0","id":${PROBE_ID}`
    assert(answer.startsWith(opening), 'Rollcall must answer in the form the floor splices')
    const rest = Uint8Array.from(Buffer.from(answer.slice(opening.length)))
    const others: [ContenderName, Build][] = [
      ['floor-a', { name: 'floor', script: floor, data: { REST: rest } }],
      ['floor-b', { name: 'floor', script: floor, data: { REST: rest } }],
    ]
    if (scenario.peer) {
      const TOOLS = { type: 'json' as const, value: tools as never }
      others.push(['mcp-lite', { name: 'mcp-lite', script: peer, env: { TOOLS } }])
    }
    for (const [name, build] of others) {
      const launched = await launch(build)
      const target = { ...contender.target, url: launched.url }
      started.push({ name, launched, target })
      assert.deepEqual(
        JSON.parse((await ask(target, target.messages[0])).text),
        JSON.parse(answer),
        `${name} must answer alike`,
      )
    }
    return started
  } catch (error) {
    await closeContenders(started)
    throw error
  }
}

export async function closeContenders(contenders: readonly Contender[]): Promise<void> {
  for (const { launched } of contenders) await launched.close()
}

async function startRollcall(
  { halfHidden, era }: ListScenario,
  tools: BenchTool[],
): Promise<{ contender: Contender; answer: string }> {
  const server = benchServer(tools, { auth: halfHidden ? 'key' : 'none' })
  // Every other tool, so that what is shown does not stand together.
  const shown = halfHidden ? tools.filter((_, index) => index % 2 === 0) : tools
  const launched = await launch(await rollcall())
  try {
    await putServer(launched.url, server)
    const names = shown.map(({ name }) => name)
    const key = halfHidden ? await createKey(launched.url, server, names) : undefined
    const message: Message = {
      headers: {
        ...JSON_HEADERS,
        ...(era === 'modern' && modernHeaders('tools/list')),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: bodyOf(era === 'modern' ? modern('tools/list', {}, {}, 0) : { ...LIST, id: 0 }),
      status: 200,
      answerBytes: 0,
    }
    const target: Target = { url: launched.url, path: pathOf(server), messages: [message] }
    const { text: answer } = await ask(target, message)
    assert.deepEqual(JSON.parse(answer).result.tools, shown, 'Rollcall must list the tools')
    message.answerBytes = Buffer.byteLength(answer)
    return { contender: { name: 'rollcall', launched, target }, answer }
  } catch (error) {
    await launched.close()
    throw error
  }
}

/** A message as JSON with another id in the place of its `"id":0`. */
export function bodyOf(message: object): Message['body'] {
  const [before = '', after = ''] = JSON.stringify(message).split('"id":0')
  return (id) => `${before}"id":${id}${after}`
}

/** Sends a message of a target, which must be answered as it says; its length is not looked at. */
export async function ask(
  { url, path }: Pick<Target, 'url' | 'path'>,
  { headers, body, status }: Message,
  more: Readonly<Record<string, string>> = {},
): Promise<{ text: string; headers: Headers }> {
  const init = { method: 'POST', headers: { ...headers, ...more }, body: body(PROBE_ID) }
  const response = await fetch(new URL(path, url), init)
  const text = await response.text()
  assert.equal(response.status, status, text)
  return { text, headers: response.headers }
}
