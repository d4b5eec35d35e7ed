/** `npm run regions`, run as a person runs it: five deployments apart, which end together. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { REGIONS } from '../../src/cli/region-names.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts, processesOf, startProgram } from '../support/running.ts'

const run = promisify(execFile)

describe('npm run regions', () => {
  let state: string
  let args: string[]
  let port: number
  before(async () => {
    state = await mkdtemp(join(tmpdir(), 'rollcall-regions-'))
    port = await freePorts(REGIONS.length)
    args = ['--port', String(port), '--persist-to', state]
  })
  after(() => rm(state, { recursive: true, force: true }))

  it('serves a sample in each region, apart from the others, and stops them all', async () => {
    const regions = startProgram('regions', args)
    const printed = await regions.isUp
    const commands = printed.match(/curl -s .*/g) ?? []
    assert.equal(commands.length, REGIONS.length)
    const texts = await Promise.all(
      commands.map(async (command) => {
        const { stdout } = await run('bash', ['-c', command])
        return JSON.parse(stdout).result.content[0].text
      }),
    )
    assert.deepEqual(
      texts,
      REGIONS.map((region) => `This is region ${region}`),
    )

    const [first = '', second = ''] = [...printed.matchAll(/(rco_\w+)$/gm)].map(([token]) => token)
    const at = (path: string, token = first) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal((await at('/api/v1/servers')).status, 200)
    const post = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${first}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, init)
      assert.ok(answer.ok, await answer.clone().text())
      return answer.json<{ id: string; token: string }>()
    }
    const { id } = await post('/api/v1/members', { name: 'Ann', role: 'admin' })
    const { token: session } = await post(`/api/v1/members/${id}/session`, {})
    assert.equal((await at('/api/v1/servers', session)).status, 200)
    assert.equal((await at('/api/v1/servers', second)).status, 401)
    const [, elsewhere = ''] = /:\d+(\/mcp\/where-us\/\w+)/.exec(printed) ?? []
    assert.equal((await at(elsewhere)).status, 404)
    const told = await (await at('/residency')).json<{ region: string; development: boolean }>()
    assert.deepEqual([told.region, told.development], ['global', true])

    assert.equal(await regions.stop(), 0)
    assert.deepEqual(await processesOf(state), [])
  })

  it('stops all with a failure when one of them dies', async () => {
    const regions = startProgram('regions', args)
    await regions.isUp
    const workers = await processesOf(join(state, 'eu'))
    assert.ok(workers.length > 0)
    for (const { pid } of workers) process.kill(pid, 'SIGKILL')
    assert.equal(await regions.exited, 1)
    assert.deepEqual(await processesOf(state), [])
  })

  it('stops what has started when it is stopped before all are up', async () => {
    const regions = startProgram('regions', args)
    const ended = assert.rejects(regions.isUp, /ended with 0/)
    await eventually(
      () => processesOf(join(state, REGIONS[0])),
      ({ length }) => length > 0,
    )
    assert.equal(await regions.stop('SIGTERM'), 0)
    await ended
    assert.deepEqual(await processesOf(state), [])
  })

  for (const [wrong, why] of [
    [['--port', '0'], '--port must be 1 to'],
    [['--speed', '9'], '--speed'],
  ] as const) {
    it(`is misused by ${wrong.join(' ')}`, async () => {
      const regions = startProgram('regions', wrong)
      await assert.rejects(regions.isUp, ({ message }: Error) => {
        assert.ok(message.startsWith('ended with 2') && message.includes(why), message)
        return message.includes('Usage: npm run regions')
      })
    })
  }
})
