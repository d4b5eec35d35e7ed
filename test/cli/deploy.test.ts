/** `npm run deploy` with a wrangler that is none: it notes what it is asked, and answers as told. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { runProgram } from '../support/programs.ts'

const ROOT = join(import.meta.dirname, '../..')
const ID = '0123456789abcdef0123456789abcdef'

const STUB = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs')
const args = process.argv.slice(2).join(' ')
appendFileSync(__dirname + '/asked', args + '\\n')
const answers = JSON.parse(readFileSync(__dirname + '/answers', 'utf8'))
const { code = 0, out = '', err = '' } = answers.find(({ to }) => args.startsWith(to)) ?? {}
process.stdout.write(out)
process.stderr.write(err)
process.exitCode = code
`

type Prepared = { to: string; code?: number; out?: string; err?: string }

const namespaces = (jurisdiction?: string): Prepared => ({
  to: 'kv namespace list',
  out: JSON.stringify([{ id: ID, title: 'rollcall-eu-catalog', jurisdiction }]),
})
const secrets = (...names: string[]): Prepared => ({
  to: 'secret list',
  out: JSON.stringify(names.map((name) => ({ name, type: 'secret_text' }))),
})
const ALL = ['OPERATOR_TOKEN', 'SEAL_KEYS', 'SESSION_JWT_SECRET', 'NAME_KEY']

describe('npm run deploy', () => {
  let folder: string
  /** A configuration whose eu has a hostname and a namespace. */
  let file: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rollcall-deploy-'))
    file = join(folder, 'mine.toml')
    const stub = join(folder, 'wrangler')
    await writeFile(stub, STUB)
    await chmod(stub, 0o755)
    const shipped = await readFile(join(ROOT, 'wrangler.toml'), 'utf8')
    await writeFile(
      file,
      shipped.replace(
        /name = "rollcall-eu"\n([^[]*)kv_namespaces = \[\{ binding = "CATALOG" \}\]/,
        `name = "rollcall-eu"\nroutes = [{ pattern = "eu.example.com", custom_domain = true }]\n$1kv_namespaces = [{ binding = "CATALOG", id = "${ID}" }]`,
      ),
    )
  })
  beforeEach(() => writeFile(join(folder, 'asked'), ''))
  after(() => rm(folder, { recursive: true, force: true }))

  const deploy = async (args: string[], answers: Prepared[]) => {
    await writeFile(join(folder, 'answers'), JSON.stringify(answers))
    const PATH = `${folder}${delimiter}${process.env['PATH']}`
    const ended = await runProgram('deploy', args, { folder, env: { PATH } })
    const asked = (await readFile(join(folder, 'asked'), 'utf8')).trim().split('\n')
    return { ...ended, asked }
  }

  it('deploys a region that has everything, after it has looked', async () => {
    const { code, asked, err } = await deploy(
      ['eu', '--config', 'mine.toml'],
      [namespaces('eu'), secrets(...ALL)],
    )
    assert.equal(code, 0, err)
    assert.deepEqual(asked, [
      `deploy --dry-run -e eu -c ${file}`,
      `kv namespace list -e eu -c ${file}`,
      `secret list -e eu -c ${file}`,
      `deploy -e eu -c ${file}`,
    ])
  })

  it('ends as wrangler does', async () => {
    const failing = { to: 'deploy -e', code: 3 }
    const answers = [namespaces('eu'), secrets(...ALL), failing]
    assert.equal((await deploy(['eu', '--config', 'mine.toml'], answers)).code, 3)
  })

  it('tells all that is missing of a new region at once, and deploys nothing', async () => {
    const unknown = {
      to: 'secret list',
      code: 1,
      err: '✘ Worker "rollcall-sg" (env: sg) not found.',
    }
    const { code, err, asked } = await deploy(['sg'], [namespaces(), unknown])
    assert.equal(code, 1)
    for (const line of [
      'rollcall-sg cannot be deployed:',
      '  It has no hostname:',
      '    into [env.sg]: routes = [{ pattern = "HOSTNAME", custom_domain = true }]',
      '    npx wrangler kv namespace create rollcall-sg-catalog',
      ...ALL.map((name) => `    npx wrangler secret put ${name} -e sg`),
    ]) {
      assert.ok(err.split('\n').includes(line), err)
    }
    assert.ok(!asked.includes('deploy -e sg'))
  })

  it('tells a namespace of no jurisdiction, and lists that wrangler does not give', async () => {
    const failing = { to: 'secret list', code: 1, err: 'You are not logged in' }
    const { code, err } = await deploy(['eu', '--config', 'mine.toml'], [namespaces(), failing])
    assert.equal(code, 1)
    assert.match(err, /jurisdiction of KV namespace 0123456789abcdef\w+ is none, not eu:/)
    assert.match(err, /namespace create rollcall-eu-catalog --jurisdiction eu$/m)
    assert.match(err, /secret list -e eu .* failed: You are not logged in/)
  })

  it('asks no account with --dry-run, and prints what it would run', async () => {
    const { code, out, asked } = await deploy(['eu', '--dry-run'], [])
    assert.equal(code, 0)
    assert.deepEqual(asked, ['deploy --dry-run -e eu'])
    assert.match(out, /namespace create rollcall-eu-catalog --jurisdiction eu$/m)
    assert.match(
      out,
      /Would be run:\n {2}npx wrangler kv namespace list -e eu\n {2}npx wrangler secret list -e eu\n {2}npx wrangler deploy -e eu\n$/,
    )
  })

  it('fails where wrangler warns of the bundle', async () => {
    const warned = { to: 'deploy --dry-run', err: '▲ [WARNING] "vars" exists at the top level' }
    for (const args of [['eu'], ['eu', '--dry-run']]) {
      const { code, err, asked } = await deploy(args, [warned])
      assert.equal(code, 1)
      assert.match(err, /wrangler would not deploy this:\n.*"vars" exists/)
      assert.ok(asked.every((one) => one.startsWith('deploy --dry-run')))
    }
  })

  for (const args of [[], ['mars'], ['eu', 'us'], ['eu', '--force']]) {
    it(`is misused by "${args.join(' ')}", and says how to use it`, async () => {
      const { code, err, asked } = await deploy(args, [])
      assert.equal(code, 2)
      assert.match(err, /Usage: npm run deploy -- REGION/)
      assert.deepEqual(asked, [''])
    })
  }
})
