/** The official inspector's command line, which people try a server with. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createServer } from '../support/admin.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { showcase, TOOL_NAMES } from '../support/showcase.ts'

type Ran = { stdout: string; stderr: string; code: number }

/** What `mcp-inspector` is in its package. */
const INSPECTOR = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
)
const RUN_MS = 15_000

describe("The inspector's command line", { timeout: 25_000, concurrency: 2 }, () => {
  let rollcall: Rollcall
  let home: string
  let id: string
  let endpoint: string
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'inspector-'))
    rollcall = await startRollcall()
    const made = await createServer(rollcall, showcase('Inspected', { pageSize: 2 }))
    ;({ id, endpoint } = made)
  })
  after(async () => {
    await rollcall.close()
    await rm(home, { recursive: true })
  })

  /** Runs it with a home of its own and an empty path: it finds no program to fetch anything with. */
  const inspect = (...args: string[]) =>
    new Promise<Ran>((resolve) => {
      const url = rollcall.url + endpoint
      execFile(
        process.execPath,
        [INSPECTOR, '--cli', url, '--transport', 'http', '--format', 'json', ...args],
        { env: { HOME: home, PATH: '' }, timeout: RUN_MS },
        (error, stdout, stderr) => resolve({ stdout, stderr, code: Number(error?.code ?? 0) }),
      )
    })
  const result = ({ stdout, stderr, code }: Ran) => {
    assert.deepEqual([code, stderr], [0, ''])
    return JSON.parse(stdout).result
  }
  const toolNames = (ran: Ran): string[] =>
    result(ran).tools.map(({ name }: { name: string }) => name)
  const era = (name: string) => ['--protocol-era', name]

  it('prints the tools of every page, with a session as it does by default', async () => {
    assert.deepEqual(toolNames(await inspect('--method', 'tools/list')), TOOL_NAMES)
    const { json } = await rollcall.admin('GET', `/sessions?server=${id}`)
    assert.equal(json.items[0]?.revision, '2025-11-25')
    assert.match(json.items[0]?.clientInfo.name, /inspector/)
  })

  it('prints the tools of every page in the stateless era', async () => {
    assert.deepEqual(
      toolNames(await inspect('--method', 'tools/list', ...era('modern'))),
      TOOL_NAMES,
    )
  })

  it('calls a tool in the stateless era where it may choose', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'greet', '--tool-arg', 'name=Zoë']
    const { content, _meta } = result(await inspect(...call, ...era('auto')))
    assert.deepEqual(content, [{ type: 'text', text: 'Hello, Zoë!' }])
    assert.equal(_meta['io.modelcontextprotocol/serverInfo'].name, 'Inspected')
  })
})
