/** `npm start` on an empty state: the samples, what it prints, that it keeps data and stops whole. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { legacy } from '../support/messages.ts'
import { OPERATOR_TOKEN, SEAL_KEYS } from '../support/rollcall.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('npm start', () => {
  let state: string
  let port: number
  before(async () => {
    state = await mkdtemp(join(tmpdir(), 'rollcall-start-'))
    port = await freePort()
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
    await fetch(`${url}/api/v1/servers/a1b2c3d4e5f6a1b2/tools/get_alerts`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: '{"status":"active"}',
    })
    assert.equal(await first.stop(), 0)
    assert.deepEqual(await processesOf(state), [])

    const second = start(port, state)
    await second.isUp
    assert.deepEqual(await names(weather), ['get_weather', 'get_forecast', 'get_alerts'])
    assert.equal(await second.stop(), 0)
    assert.deepEqual(await processesOf(state), [])
  })

  it('takes secrets from the environment, and shows them in no process list', async () => {
    const run = start(port, state)
    await run.isUp
    const lines = await processesOf(state)
    assert.ok(lines.length > 0)
    assert.deepEqual(
      lines.filter((line) => line.includes(OPERATOR_TOKEN) || line.includes(SEAL_KEYS)),
      [],
    )
    await run.stop()
  })
})

/** Starts it as npm does; `isUp` is what it had printed when it said so. */
function start(port: number, state: string) {
  const child = spawn(
    process.execPath,
    ['src/cli/start.ts', '--port', String(port), '--persist-to', state],
    { cwd: ROOT, env: { ...process.env, OPERATOR_TOKEN, SEAL_KEYS } },
  )
  let text = ''
  const isUp = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('Ctrl-C stops it')) resolve(text)
    })
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)))
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const stop = () => {
    child.kill('SIGINT')
    return exited
  }
  return { isUp, stop }
}

/** The command lines of the processes that work on a state folder. */
async function processesOf(state: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(
    (name) => /^\d+$/.test(name) && name !== String(process.pid),
  )
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.map((line) => line.replaceAll('\0', ' ')).filter((line) => line.includes(state))
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
