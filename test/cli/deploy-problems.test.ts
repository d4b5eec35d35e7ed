import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  formatCommand,
  problemsOfConfig,
  problemsOfNamespace,
  problemsOfSecrets,
  type RegionConfig,
} from '../../src/cli/deploy-problems.ts'

const EU = { region: 'eu', options: ['-e', 'eu'] }
const ID = '0123456789abcdef0123456789abcdef'

const config = (members: Partial<RegionConfig> = {}): RegionConfig => ({
  workers_dev: false,
  routes: [{ pattern: 'eu.mcp.example.com', custom_domain: true }],
  vars: { JURISDICTION: 'eu' },
  kv_namespaces: [{ binding: 'CATALOG', id: ID }],
  secrets: { required: ['OPERATOR_TOKEN', 'SEAL_KEYS', 'NAME_KEY'] },
  ...members,
})
const whats = (problems: { what: string }[]) => problems.map(({ what }) => what)

describe('problemsOfConfig', () => {
  const vars = { JURISDICTION: 'eu' }
  const table: [string, Partial<RegionConfig>, string[]][] = [
    ['nothing where all is named', {}, []],
    ['a missing hostname', { routes: undefined }, ['It has no hostname']],
    ['an empty list of routes', { routes: [] }, ['It has no hostname']],
    ['nothing where one route is named', { routes: undefined, route: 'eu.example.com/*' }, []],
    [
      'nothing where PUBLIC_URL names the host',
      { routes: undefined, vars: { ...vars, PUBLIC_URL: 'https://eu.example.com' } },
      [],
    ],
    ['nothing where workers.dev serves it', { routes: undefined, workers_dev: true }, []],
    [
      'a missing KV id',
      { kv_namespaces: [{ binding: 'CATALOG' }, { binding: 'OTHER', id: ID }] },
      ['It has no KV namespace'],
    ],
    [
      'all at once',
      { routes: undefined, kv_namespaces: [] },
      ['It has no hostname', 'It has no KV namespace'],
    ],
  ]
  for (const [what, members, expected] of table) {
    it(`tells ${what}`, () => {
      assert.deepEqual(whats(problemsOfConfig(EU, config(members))), expected)
    })
  }

  it('has the command that makes the namespace, with its jurisdiction if it needs one', () => {
    const mendIn = (region: string, JURISDICTION: string) =>
      problemsOfConfig(
        { region, options: ['-e', region] },
        config({ vars: { JURISDICTION }, kv_namespaces: [] }),
      )[0]?.mend[0]
    assert.equal(
      mendIn('eu', 'eu'),
      'npx wrangler kv namespace create rollcall-eu-catalog --jurisdiction eu',
    )
    assert.equal(mendIn('in', ''), 'npx wrangler kv namespace create rollcall-in-catalog')
  })
})

describe('problemsOfNamespace', () => {
  const problems = (jurisdiction: string, listed: { id: string; jurisdiction?: string }[]) =>
    whats(problemsOfNamespace(EU, config({ vars: { JURISDICTION: jurisdiction } }), listed))

  it('tells nothing of one in the right jurisdiction', () => {
    assert.deepEqual(problems('eu', [{ id: ID, jurisdiction: 'eu' }]), [])
    assert.deepEqual(problems('', [{ id: ID }]), [])
  })

  it('tells one that is in another jurisdiction, or in none', () => {
    const says = (is: string, must: string) => [
      `The jurisdiction of KV namespace ${ID} is ${is}, not ${must}`,
    ]
    assert.deepEqual(problems('eu', [{ id: ID, jurisdiction: 'us' }]), says('us', 'eu'))
    assert.deepEqual(problems('eu', [{ id: ID }]), says('none', 'eu'))
    assert.deepEqual(problems('', [{ id: ID, jurisdiction: 'eu' }]), says('eu', 'none'))
  })

  it('tells one that the account does not have', () => {
    const listed = [{ id: 'f'.repeat(32), jurisdiction: 'eu' }]
    assert.deepEqual(problems('eu', listed), [`This account has no KV namespace ${ID}`])
  })

  it('leaves a missing id to who reads the configuration', () => {
    assert.deepEqual(problemsOfNamespace(EU, config({ kv_namespaces: [] }), []), [])
  })
})

describe('problemsOfSecrets', () => {
  it('tells each that is not set, with the command that sets it', () => {
    const listed = [{ name: 'SEAL_KEYS' }, { name: 'SESSION_JWT_SECRET' }]
    assert.deepEqual(problemsOfSecrets(EU, config(), listed), [
      {
        what: 'Secret OPERATOR_TOKEN is not set',
        mend: ['npx wrangler secret put OPERATOR_TOKEN -e eu'],
      },
      { what: 'Secret NAME_KEY is not set', mend: ['npx wrangler secret put NAME_KEY -e eu'] },
    ])
  })
})

describe('formatCommand', () => {
  it('quotes what a shell would take apart', () => {
    assert.equal(
      formatCommand(['deploy', '-c', '/my folder/a.toml']),
      "npx wrangler deploy -c '/my folder/a.toml'",
    )
  })
})
