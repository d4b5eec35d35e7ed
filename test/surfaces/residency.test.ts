import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { unstable_readConfig as readConfig } from 'wrangler'
import { REGIONS } from '../../src/cli/region-names.ts'
import { readSettings, type Env } from '../../src/env.ts'
import { describeResidency, Residency } from '../../src/surfaces/residency.ts'
import { OPERATOR_TOKEN, SEAL_KEYS } from '../support/rollcall.ts'

const ROOT = join(import.meta.dirname, '../..')
const NAME_KEY = Buffer.alloc(32, 7).toString('base64')
const IN_OBJECTS = [
  'sessions',
  'catalog',
  'credentials',
  'members',
  'accounts',
  'secrets',
  'approvals',
  'audit',
  'calls',
]

const residencyOf = (vars: Record<string, unknown>) =>
  describeResidency(
    readSettings({ OPERATOR_TOKEN, SEAL_KEYS, NAME_KEY, ...vars } as unknown as Env),
  )
/** As wrangler.toml has the deployment of a region. */
const shipped = (region: string) =>
  residencyOf(readConfig({ config: join(ROOT, 'wrangler.toml'), env: region }).vars)
const rowOf = ({ data }: Residency, kind: string) => {
  const row = data.find((one) => one.kind === kind)
  assert.ok(row, kind)
  return row
}

describe('describeResidency', () => {
  it('tells each kind of data once, in the form of its schema', () => {
    for (const region of REGIONS) {
      const told = shipped(region)
      assert.deepEqual(Residency.parse(told), told)
      assert.equal(told.region, region)
      const kinds = told.data.map(({ kind }) => kind)
      assert.deepEqual(kinds, [...IN_OBJECTS, 'names', 'KV copies', 'logs', 'processing'])
    }
  })

  it('guarantees what objects store by a jurisdiction, and by nothing else', () => {
    const guarantees = (region: string) => [
      ...new Set(IN_OBJECTS.map((kind) => rowOf(shipped(region), kind).guarantee)),
    ]
    assert.deepEqual(
      REGIONS.map((region) => guarantees(region).join()),
      ['none', 'guaranteed', 'guaranteed', 'best effort', 'best effort'],
    )
  })

  it('says of India and Singapore that storage is a hint and processing a hostname', () => {
    for (const [region, land, hint] of [
      ['in', 'India', 'apac'],
      ['sg', 'Singapore', 'apac-se'],
    ] as const) {
      const told = shipped(region)
      assert.deepEqual(rowOf(told, 'sessions'), {
        kind: 'sessions',
        stored: `near the location hint ${hint}, if the platform follows it`,
        guarantee: 'best effort',
        restsOn: `location hint ${hint}; the platform has no jurisdiction for ${land}`,
      })
      assert.deepEqual(rowOf(told, 'processing'), {
        kind: 'processing',
        stored: `requests run in ${land}; objects run where they are stored`,
        guarantee: 'if set',
        restsOn: `a regional hostname for ${land}, set in the dashboard`,
      })
      assert.equal(rowOf(told, 'logs').restsOn, `the platform stores no logs in ${land}`)
    }
  })

  it('promises no sealed copies and names without strict residency', () => {
    const plain = { REGION: 'eu', JURISDICTION: 'eu' }
    for (const kind of ['KV copies', 'names']) {
      assert.equal(rowOf(residencyOf(plain), kind).guarantee, 'none')
      assert.equal(rowOf(residencyOf({ ...plain, RESIDENCY: 'strict' }), kind).guarantee, 'sealed')
    }
  })

  it('promises nothing where there is neither jurisdiction nor hint', () => {
    const told = residencyOf({ REGION: 'in' })
    assert.equal(rowOf(told, 'audit').guarantee, 'none')
    assert.match(rowOf(told, 'audit').restsOn, /no jurisdiction for India$/)
  })

  it('guarantees nothing in development, whatever is set', () => {
    for (const vars of [
      {},
      { REGION: 'eu', RESIDENCY: 'strict' },
      { REGION: 'eu', JURISDICTION: 'eu' },
      { REGION: 'in', LOCATION_HINT: 'apac', RESIDENCY: 'strict' },
    ]) {
      const told = residencyOf({ ...vars, DEVELOPMENT: '1' })
      assert.equal(told.development, true)
      for (const { guarantee, restsOn } of told.data) {
        assert.deepEqual([guarantee, restsOn], ['none', 'development, no guarantee'])
      }
    }
  })
})

describe('README', () => {
  it('has in its table of regions what their deployments answer', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const [, section = ''] = /\n## Regions\n([^]*?)\n## /.exec(readme) ?? []
    const rows = [...section.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
      row.split('|').map((cell) => cell.trim()),
    )
    const [heads = [], , ...body] = rows
    const told = new Map<string, string>()
    for (const [kinds = '', ...cells] of body) {
      for (const kind of kinds.split(', ')) {
        for (const [column, cell] of cells.entries()) {
          for (const region of (heads[column + 1] ?? '').replaceAll('`', '').split(', ')) {
            told.set(`${kind} in ${region}`, cell)
          }
        }
      }
    }
    const answered = REGIONS.flatMap((region) =>
      shipped(region).data.map(
        ({ kind, guarantee }) => [`${kind} in ${region}`, guarantee] as const,
      ),
    )
    assert.deepEqual(Object.fromEntries(told), Object.fromEntries(answered))
  })
})
