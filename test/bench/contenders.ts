/**
 * The contenders of a list scenario, each in a process of its own: Rollcall, the floor under two
 * names, and mcp-lite where the scenario has it. The floor's bytes are Rollcall's answer, so both
 * send the same; each contender's first answer is compared before anything is measured.
 */
import assert from 'node:assert/strict'
import { LIST, modern, modernHeaders } from '../support/messages.ts'
import { buildContender } from './build.ts'
import { launch, type Build, type Launched } from './launch.ts'
import type { Target } from './load.ts'
import { benchServer, createKey, pathOf, putServer, rollcall } from './rollcall.ts'
import type { ListScenario } from './scenarios.ts'
import { benchTools, type BenchTool } from './tools.ts'

export type ContenderName = 'floor-a' | 'floor-b' | 'rollcall' | 'mcp-lite'

export type Contender = { name: ContenderName; launched: Launched; target: Target }

const PROBE_ID = 9_999_999 // as long as the ids of the load
const JSON_HEADERS = { 'content-type': 'application/json' }

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
        JSON.parse(await ask(target)),
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
    const target: Target = {
      url: launched.url,
      path: pathOf(server),
      headers: {
        ...JSON_HEADERS,
        ...(era === 'modern' && modernHeaders('tools/list')),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: bodyOf(era),
      answerBytes: 0,
    }
    const answer = await ask(target)
    assert.deepEqual(JSON.parse(answer).result.tools, shown, 'Rollcall must list the tools')
    target.answerBytes = Buffer.byteLength(answer)
    return { contender: { name: 'rollcall', launched, target }, answer }
  } catch (error) {
    await launched.close()
    throw error
  }
}

function bodyOf(era: ListScenario['era']): Target['body'] {
  const message = era === 'modern' ? modern('tools/list', {}, {}, 0) : { ...LIST, id: 0 }
  const [before = '', after = ''] = JSON.stringify(message).split('"id":0')
  return (id) => `${before}"id":${id}${after}`
}

async function ask({ url, path, headers, body }: Target): Promise<string> {
  const init = { method: 'POST', headers, body: body(PROBE_ID) }
  const response = await fetch(new URL(path, url), init)
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return text
}
