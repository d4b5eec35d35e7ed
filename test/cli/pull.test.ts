/** `npm run pull` against a real Rollcall: the files it writes, and that push finds them unchanged. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createServer } from '../support/admin.ts'
import { runProgram } from '../support/programs.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

const handler = { kind: 'static', result: { content: [] } }
const tool = (name: string) => ({ name, inputSchema: { type: 'object' }, handler })

describe('npm run pull', () => {
  let rollcall: Rollcall
  let folder: string
  let id: string
  before(async () => {
    rollcall = await startRollcall()
    folder = await mkdtemp(join(tmpdir(), 'rollcall-pull-'))
    const file = { name: 'Bee', auth: 'key', tools: [tool('one'), tool('two')] }
    id = (await createServer(rollcall, file)).id
    await createServer(rollcall, { name: 'Ant', tools: [] })
  })
  after(async () => {
    await rollcall.close()
    await rm(folder, { recursive: true, force: true })
  })

  const run = (name: 'pull' | 'push', ...args: string[]) =>
    runProgram(name, [...args, '--url', rollcall.url], { folder })

  it('writes every server of the organization by slug, and again only what changed', async () => {
    assert.deepEqual(await run('pull'), {
      code: 0,
      out: 'servers/ant.json: new\nservers/bee.json: new\n',
      err: '',
    })
    const path = join(folder, 'servers/bee.json')
    const { json } = await rollcall.admin('GET', `/servers/${id}/export`)
    assert.equal(await readFile(path, 'utf8'), `${JSON.stringify(json, null, 2)}\n`)
    const { mtimeMs } = await stat(join(folder, 'servers/ant.json'))

    await rollcall.admin('DELETE', `/servers/${id}/tools/one`)
    const second = await run('pull')
    assert.equal(second.out, 'servers/ant.json: unchanged\nservers/bee.json: changed\n')
    assert.equal((await stat(join(folder, 'servers/ant.json'))).mtimeMs, mtimeMs)
  })

  it('writes what push finds unchanged, even with gaps in the sort orders', async () => {
    await run('pull', '--out', 'all')
    const { code, out } = await run('push', 'all')
    assert.equal(code, 0)
    assert.match(out, /^all\/ant\.json: .* is unchanged\nall\/bee\.json: .* is unchanged\n$/)
  })

  it('writes those that are named by id or slug, or prints one', async () => {
    const named = await run('pull', id, 'bee', '--out', 'some')
    assert.equal(named.out, 'some/bee.json: new\n')
    assert.deepEqual(await readdir(join(folder, 'some')), ['bee.json'])
    const printed = await run('pull', 'bee', '--stdout')
    assert.equal(printed.out, await readFile(join(folder, 'some/bee.json'), 'utf8'))
  })

  it('writes nothing when one of the names is unknown', async () => {
    const { code, err } = await run('pull', 'bee', 'wasp', '--out', 'none')
    assert.equal(code, 1)
    assert.equal(err, 'There is no server "wasp" here\n')
    await assert.rejects(stat(join(folder, 'none')))
  })

  it('is misused where more than one is to be printed', async () => {
    const { code, err } = await run('pull', '--stdout')
    assert.equal(code, 2)
    assert.match(err, /^--stdout is for one server\n\nnpm run pull/)
  })
})
