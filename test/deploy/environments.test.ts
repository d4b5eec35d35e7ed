/** The deployments of wrangler.toml: each is whole, as wrangler itself reads and bundles it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { unstable_readConfig as readConfig } from 'wrangler'

const ROOT = join(import.meta.dirname, '../..')
const WRANGLER = join(ROOT, 'node_modules/.bin/wrangler')

const BINDINGS = [
  'ORGANIZATION (Organization)',
  'DIRECTORY (Directory)',
  'SESSION (Session)',
  'CHANNEL (Channel)',
  'UPSTREAM (Upstream)',
  'CATALOG',
  'LIMITER (6000 requests/60s)',
]
/** Region, jurisdiction, hint, residency, and the account-wide id of the rate limit. */
const REGIONS = [
  ['global', '', '', '', '1101'],
  ['us', 'us', '', 'strict', '1102'],
  ['eu', 'eu', '', 'strict', '1103'],
  ['in', '', 'apac', 'strict', '1104'],
  ['sg', '', 'apac-se', 'strict', '1105'],
] as const

type Printed = { bindings: string[]; warnings: string[] }

/** What a dry run prints of its bindings, in order, and where it warns. */
function dryRun(config: string, region: string): Promise<Printed> {
  const args = ['deploy', '--dry-run', '-c', config, '-e', region]
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', FORCE_COLOR: '0' }
  return new Promise((resolve, reject) => {
    execFile(WRANGLER, args, { cwd: ROOT, env }, (error, out, err) => {
      if (error !== null) return reject(new Error(`${out}${err}`))
      resolve({
        bindings: [...out.matchAll(/^env\.(.*?) {2,}\S/gm)].map(([, name = '']) => name),
        warnings: `${out}${err}`.split('\n').filter((line) => /warning|▲/i.test(line)),
      })
    })
  })
}

const expected = ([region, jurisdiction, hint, residency]: (typeof REGIONS)[number]) => [
  ...BINDINGS,
  `REGION ("${region}")`,
  `JURISDICTION ("${jurisdiction}")`,
  `LOCATION_HINT ("${hint}")`,
  `RESIDENCY ("${residency}")`,
]

describe('the deployments of wrangler.toml', () => {
  const config = join(ROOT, 'wrangler.toml')

  for (const one of REGIONS) {
    const [region, , , residency, limit] = one
    it(`has all bindings and vars of ${region}, and a dry run without a warning`, async () => {
      assert.deepEqual(await dryRun(config, region), { bindings: expected(one), warnings: [] })
    })

    it(`gives ${region} a name, a limit and secrets of its own, and no other address`, () => {
      const read = readConfig({ config, env: region })
      assert.equal(read.name, `rollcall-${region}`)
      const limits: { namespace_id: string }[] = read.ratelimits
      assert.equal(limits.map(({ namespace_id }) => namespace_id).join(), limit)
      assert.deepEqual(read.secrets?.required, [
        'OPERATOR_TOKEN',
        'SEAL_KEYS',
        'SESSION_JWT_SECRET',
        ...(residency === 'strict' ? ['NAME_KEY'] : []),
      ])
      assert.deepEqual([read.workers_dev, read.preview_urls], [region === 'global', false])
      assert.equal(read.observability.logs?.invocation_logs, region === 'global')
      // Tickets of people stand there, and codes of sign-ins.
      assert.equal(read.observability.redact_query_string, true)
      const classes = ['Organization', 'Directory', 'Session', 'Channel', 'Upstream']
      assert.deepEqual(Object.keys(read.exports ?? {}), classes)
    })
  }

  describe('with a binding and a var taken out of one', () => {
    let folder: string
    before(async () => (folder = await mkdtemp(join(tmpdir(), 'rollcall-toml-'))))
    after(() => rm(folder, { recursive: true, force: true }))

    it('would be told by this test', async () => {
      const [start = '', eu = '', rest = ''] = (await readFile(config, 'utf8')).split(
        /(?=\[env\.(?:eu|in)\]\n)/,
      )
      const less = eu
        .replace('  { name = "UPSTREAM", class_name = "Upstream" },\n', '')
        .replace('LOCATION_HINT = "", ', '')
      const main = start.replace('src/worker.ts', join(ROOT, 'src/worker.ts'))
      const broken = join(folder, 'wrangler.toml')
      await writeFile(broken, main + less + rest)
      const { bindings } = await dryRun(broken, 'eu')
      const missing = expected(REGIONS[2]).filter((name) => !bindings.includes(name))
      assert.deepEqual(missing, ['UPSTREAM (Upstream)', 'LOCATION_HINT ("")'])
    })
  })
})
