/**
 * U.5 check 6: the samples of the gateway's documentation (gateway-samples.txt), as they stand but for
 * address and key, print the names, whatever stands in a description. Python uses httpx where the
 * machine has it, and else as much of it as the sample takes; Go runs where there is Go.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { askGateway, startAcme } from '../support/acme.ts'
import { eventually } from '../support/eventually.ts'
import { namesOf, untilListed } from '../support/gateway-client.ts'
import { LIST } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

const HERE = import.meta.dirname
const SAMPLES = await readFile(join(HERE, 'gateway-samples.txt'), 'utf8')
const THEIRS = ['memory__search', 'notion__create_page', 'notion__search']
const hasGo = spawnSync('go', ['version']).status === 0
const hasHttpx = spawnSync('python3', ['-c', 'import httpx']).status === 0

describe('The samples of the gateway', () => {
  let rollcall: Rollcall
  let folder: string
  let key: string
  let names: string[]
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rollcall-samples-'))
    rollcall = await startRollcall()
    const acme = await startAcme(rollcall, 'https://api.example.com')
    const member = await acme.person('member')
    ;({ key } = member)
    await acme.account('notion', 'own', { owner: member.id })
    await acme.admin('PATCH', `/servers/${acme.servers.memory}/tools/search`, {
      description: 'Broken\u2028by\u2029no\u0085line end\nand by none',
    })
    await eventually(
      () => askGateway(rollcall, key, LIST),
      (answer) => answer.text.includes('Broken'),
    )
    await untilListed(rollcall, key, THEIRS)
    names = await namesOf(rollcall, key)
    assert.equal(names[0], 'manage__whoami')
  })
  after(async () => {
    await rollcall.close()
    await rm(folder, { recursive: true })
  })

  /** Writes the sample of a language to a file, with the address of the Rollcall at hand. */
  const sample = async (language: string, file: string): Promise<string> => {
    const [, code = ''] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(SAMPLES) ?? []
    assert.match(code, /https:\/\/api\.corespeed\.io\/mcp/)
    const path = join(folder, file)
    await writeFile(path, code.replaceAll('https://api.corespeed.io', rollcall.url))
    return path
  }

  const run = async (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(program, args, {
      env: { ...process.env, CORESPEED_API_KEY: key, ...env },
    })
    const [out, problems] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { out, problems }
  }
  const printed = ({ out, problems }: { out: string; problems: string }) => {
    assert.notEqual(out, '', problems)
    return out.trimEnd().split('\n')
  }

  it('curl: gets one event whose data line has the names', async () => {
    const { out } = await run('bash', [await sample('bash', 'sample.sh')])
    const [, data = ''] = /^event: message\ndata: (.*)\n\n$/.exec(out) ?? []
    const { id, result } = JSON.parse(data)
    assert.equal(id, 2)
    assert.deepEqual(
      result.tools.map(({ name }: { name: string }) => name),
      names,
    )
  })

  it('TypeScript: prints the names', async () => {
    const path = await sample('ts', 'sample.mts')
    assert.deepEqual(printed(await run(process.execPath, [path])), names)
  })

  it(`Python, by ${hasHttpx ? 'httpx' : 'urllib in the place of httpx'}: prints the names`, async () => {
    const path = await sample('python', 'sample.py')
    const env = hasHttpx ? {} : { PYTHONPATH: join(HERE, 'urllib-httpx') }
    assert.deepEqual(printed(await run('python3', [path], env)), names)
  })

  if (hasGo) {
    it('Go: prints the names', async () => {
      const path = await sample('go', 'sample.go')
      assert.deepEqual(printed(await run('go', ['run', path])), names)
    })
  }
})
