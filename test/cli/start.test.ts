/** `npm start` on an empty state: the samples, what it prints, that it keeps data and stops whole. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.ts'
import { legacy } from '../support/messages.ts'
import { OPERATOR_TOKEN, SEAL_KEYS } from '../support/rollcall.ts'
import { freePorts, processesOf, startProgram, type Running } from '../support/running.ts'

/** As the documentation of the gateway prints them. */
const SEARCH = {
  name: 'memory__search',
  description:
    'Search saved long-term memories for facts relevant to the current question or task.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' } },
    required: ['query'],
  },
  annotations: {
    title: 'Search memory',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}
const CREATE_PAGE = {
  name: 'notion__create_page',
  description:
    'Create a new Notion page under a parent page, with a title and optional plain-text content (one paragraph per line).',
  inputSchema: {
    type: 'object',
    properties: { parent_page_id: { type: 'string' }, title: { type: 'string' } },
    required: ['parent_page_id', 'title'],
  },
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
}

describe('npm start', () => {
  let state: string
  let port: number
  before(async () => {
    state = await mkdtemp(join(tmpdir(), 'rollcall-start-'))
    port = await freePorts()
  })
  after(() => rm(state, { recursive: true, force: true }))

  it('serves the samples, keeps what was changed, and stops all it started', async () => {
    const first = start(port, state)
    const printed = await first.isUp
    const url = `http://127.0.0.1:${port}`
    assert.match(printed, new RegExp(`${url}/mcp/my-weather-tools/a1b2c3d4e5f6a1b2`))
    assert.match(printed, new RegExp(`Operator token +${OPERATOR_TOKEN}`))
    const names = async (path: string) => {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(legacy('tools/list')),
      })
      const { result } = await response.json<{ result: { tools: { name: string }[] } }>()
      return result.tools.map(({ name }) => name)
    }
    const weather = '/mcp/my-weather-tools/a1b2c3d4e5f6a1b2'
    assert.deepEqual(await names(weather), ['get_weather', 'get_forecast'])
    assert.equal((await names('/mcp/workspace-tools/5e1f0c2b9d3a4e67')).length, 50)
    await gatewayAnswers(printed)
    await convaiAnswers(printed)
    await fetch(`${url}/api/v1/servers/a1b2c3d4e5f6a1b2/tools/get_alerts`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: '{"status":"active"}',
    })
    assert.equal(await first.stop(), 0)
    assert.deepEqual(await processesOf(state), [])

    const second = start(port, state)
    await gatewayAnswers(await second.isUp)
    await convaiAnswers(await second.isUp)
    assert.deepEqual(await names(weather), ['get_weather', 'get_forecast', 'get_alerts'])
    assert.equal(await second.stop(), 0)
    assert.deepEqual(await processesOf(state), [])
  })

  it('takes secrets from the environment, and shows them in no process list', async () => {
    const run = start(port, state)
    await run.isUp
    const lines = (await processesOf(state)).map(({ line }) => line)
    assert.ok(lines.length > 0)
    assert.deepEqual(
      lines.filter((line) => line.includes(OPERATOR_TOKEN) || line.includes(SEAL_KEYS)),
      [],
    )
    await run.stop()
  })
})

/** Runs the command that was printed for the gateway, until it lists what Ben is to see. */
async function gatewayAnswers(printed: string): Promise<void> {
  const [command = ''] = /curl -s \S+\/mcp -H(?:.*\\\n)*.*/.exec(printed) ?? []
  assert.match(command, /Bearer sk-rc-/)
  const run = promisify(execFile)
  const listed = await eventually(
    async () => {
      const { stdout } = await run('bash', ['-c', command])
      const { result } = JSON.parse(/^data: (.*)$/m.exec(stdout)?.[1] ?? '{}')
      return result.tools.filter(({ name }: { name: string }) => !name.startsWith('manage__'))
    },
    ({ length }) => length === 4,
  )
  assert.deepEqual(
    listed.map(({ name }: { name: string }) => name),
    ['memory__search', 'notion__create_page', 'notion__search', 'twitter__post'],
  )
  assert.deepEqual(listed[0], SEARCH)
  const { account, ...properties } = listed[1].inputSchema.properties
  assert.equal(account.type, 'string')
  const inputSchema = { ...listed[1].inputSchema, properties }
  assert.deepEqual({ ...listed[1], inputSchema }, CREATE_PAGE)
}

/** Runs the command that was printed for convai, which lists the weather sample as a remote server. */
async function convaiAnswers(printed: string): Promise<void> {
  const [command = ''] = /curl -s \S+\/v1\/convai\/.*/.exec(printed) ?? []
  const { stdout } = await promisify(execFile)('bash', ['-c', command])
  const { success, tools, tool_approval_statuses: statuses } = JSON.parse(stdout)
  assert.equal(success, true, stdout)
  assert.deepEqual(
    tools.slice(0, 2).map(({ name }: { name: string }) => name),
    ['get_weather', 'get_forecast'],
  )
  assert.match(statuses[0].tool_id, /^mcp:mcps_[0-9a-z]{20}:get_weather$/)
  assert.equal(statuses[0].state, 'not_approved')
}

/** Starts it as npm does. */
function start(port: number, state: string): Running {
  const args = ['--port', String(port), '--persist-to', state]
  return startProgram('start', args, { OPERATOR_TOKEN, SEAL_KEYS })
}
