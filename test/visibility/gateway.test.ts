/**
 * Every combination of what decides, against the rules as surfaces.md has them in words. The reference
 * knows no ids and no order of checks beyond its own sentences.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Principal } from '../../src/callers/principal.ts'
import type { Capability, CapabilitySettings, Surface } from '../../src/catalog/surface.ts'
import { withheldManage, withheldOnGateway, type Reason } from '../../src/visibility/gateway.ts'
import { visibleOnGateway } from '../../src/visibility/gateway-list.ts'
import { gatewayOf } from '../support/gateways.ts'
import { serverFile, tool as toolOf } from '../support/servers.ts'

const TOOLS = ['read', 'write'] as const // a share or an environment "for some" is for `read`

const KINDS = ['connector', 'remote connector', 'built-in', 'remote'] as const
const ACCOUNTS = [
  'none',
  'own',
  'own in needs_reauth',
  'shared with it',
  'shared with it for some',
  'shared with everybody',
  'shared with everybody for some',
  "a member's, shared with everybody",
  'of another server',
] as const
const SETTINGS = ['unsaid', 'on', 'capability off', 'operation on', 'operation off'] as const
const ENVIRONMENTS = [
  'none',
  'includes',
  'includes some',
  'includes its account',
  'includes some of its account',
  'names another account',
  'names another account and includes some',
  'excludes',
  'unknown',
] as const
const PRINCIPALS = ['member', 'agent'] as const

type Row = {
  kind: (typeof KINDS)[number]
  account: (typeof ACCOUNTS)[number]
  organization: (typeof SETTINGS)[number]
  member: (typeof SETTINGS)[number]
  environment: (typeof ENVIRONMENTS)[number]
  principal: (typeof PRINCIPALS)[number]
  tool: (typeof TOOLS)[number]
}

function* rows(): Generator<Row> {
  for (const kind of KINDS)
    for (const account of ACCOUNTS)
      for (const organization of SETTINGS)
        for (const member of SETTINGS)
          for (const environment of ENVIRONMENTS)
            for (const principal of PRINCIPALS)
              for (const tool of TOOLS)
                yield { kind, account, organization, member, environment, principal, tool }
}

/** The rules, a sentence each; the first that holds is the reason. */
const RULES: readonly [string, Reason, (row: Row) => boolean][] = [
  [
    'C2: the organization has switched the capability off, or this operation (`write`)',
    'organization_setting',
    ({ organization, tool }) => switchesOff(organization, tool),
  ],
  [
    'C2: the member has; what the organization has on, it may have off, and not the other way',
    'member_setting',
    ({ member, tool }) => switchesOff(member, tool),
  ],
  [
    'C20: a connector contributes once the caller has a visible credential; what is of a member reaches no agent',
    'no_account',
    (row) => isConnector(row) && !seesAccount(row),
  ],
  [
    'C10, D12: in an environment only the connectors and remote servers it includes; built-ins stay',
    'not_in_environment',
    (row) => isNarrowed(row) && ['excludes', 'unknown'].includes(row.environment),
  ],
  [
    'C10: an entry that names an account is for those who see that account',
    'no_account',
    (row) => isNarrowed(row) && isConnector(row) && row.environment === 'names another account',
  ],
  [
    'C10: within each only the tools its entries allow',
    'not_in_environment_tools',
    (row) =>
      isNarrowed(row) &&
      row.tool === 'write' &&
      row.environment.includes('some') &&
      !isWholeForRemote(row),
  ],
]

const switchesOff = (setting: string, tool: string) =>
  setting === 'capability off' || (setting === 'operation off' && tool === 'write')
const isConnector = ({ kind }: Row) => kind.endsWith('connector')
const isNarrowed = ({ kind, environment }: Row) => environment !== 'none' && kind !== 'built-in'
const seesAccount = ({ account, principal }: Row) =>
  account !== 'none' &&
  account !== 'of another server' &&
  !(account === "a member's, shared with everybody" && principal === 'agent')
/** A server without accounts has every entry of it for everybody: the one that allows all is enough. */
const isWholeForRemote = ({ kind, environment }: Row) =>
  kind === 'remote' && environment === 'names another account and includes some'

function reference(row: Row): Reason | undefined {
  return RULES.find(([, , holds]) => holds(row))?.[1]
}

const SERVER = 'server-1'

/** A row in which nothing is said. */
const NEUTRAL: Row = {
  kind: 'connector',
  account: 'none',
  organization: 'unsaid',
  member: 'unsaid',
  environment: 'none',
  principal: 'member',
  tool: 'read',
}

function settingsOf(setting: string, capability: string): CapabilitySettings {
  switch (setting) {
    case 'on':
      return { [capability]: true }
    case 'capability off':
      return { [capability]: false, other: true }
    case 'operation on':
      return { [capability]: { write: true } }
    case 'operation off':
      return { [capability]: { write: false } }
    default:
      return { other: false }
  }
}

function viewOf({ kind, account, organization, member, environment, principal }: Row) {
  const capability: Capability = {
    id: 'notion',
    server: SERVER,
    account: kind.endsWith('connector') ? 'required' : 'none',
    kind: kind.startsWith('remote') ? 'remote' : 'hosted',
  }
  const one = { account: 'acc-1', server: account === 'of another server' ? 'server-2' : SERVER }
  const some = account.endsWith('for some') && { tools: ['read'] }
  const isEverybodys = account.includes('everybody')
  const entries: Record<string, Surface['environments'][string]> = {
    includes: [{ server: SERVER }],
    'includes some': [{ server: SERVER, tools: ['read'] }],
    'includes its account': [{ server: SERVER, account: 'acc-1' }],
    'includes some of its account': [{ server: SERVER, account: 'acc-1', tools: ['read'] }],
    'names another account': [{ server: SERVER, account: 'acc-2' }],
    'names another account and includes some': [
      { server: SERVER, account: 'acc-2' },
      { server: SERVER, tools: ['read'] },
    ],
    excludes: [{ server: 'server-2' }],
  }
  const surface: Surface = {
    status: 'active',
    features: { approvals: false, connectLinks: false, feedback: false },
    settings: settingsOf(organization, 'notion'),
    capabilities: [capability],
    shared: isEverybodys
      ? [{ ...one, ...some, ...(account.startsWith('a member') && { membersOnly: true }) }]
      : [],
    environments: entries,
  }
  const sees = account !== 'none' && !isEverybodys
  const who: Principal = {
    id: 'mem_1',
    organization: 'org_1',
    kind: principal,
    status: 'active',
    permissions: [],
    settings: settingsOf(member, 'notion'),
    accounts: sees ? [{ ...one, ...some, own: account.startsWith('own') }] : [],
    version: 1,
  }
  const view = { surface, principal: who, environment: nameOf(environment) }
  return { capability, view }
}

const nameOf = (environment: string) => (environment === 'none' ? undefined : environment)

describe('withheldOnGateway', () => {
  it('agrees with the rules in words on every combination', () => {
    let count = 0
    for (const row of rows()) {
      const { capability, view } = viewOf(row)
      const reason = withheldOnGateway({ capability, operation: row.tool }, view)
      if (reason !== reference(row)) assert.equal(reason, reference(row), JSON.stringify(row))
      count++
    }
    const combinations = [KINDS, ACCOUNTS, SETTINGS, SETTINGS, ENVIRONMENTS, PRINCIPALS, TOOLS]
    assert.equal(
      count,
      combinations.reduce((product, { length }) => product * length, 1),
    )
  })

  it('C11: decides for the list and for the call alike, on every combination', () => {
    const gateways = new Map(
      KINDS.map((kind) => {
        const { capability } = viewOf({ ...NEUTRAL, kind })
        const file = serverFile(
          'Notion',
          TOOLS.map((name) => toolOf(name)),
        )
        return [kind, gatewayOf([{ ...capability, file }])] as const
      }),
    )
    for (const row of rows()) {
      const gateway = gateways.get(row.kind)
      assert.ok(gateway)
      const { capability, view } = viewOf(row)
      const { names } = visibleOnGateway({ ...gateway, surface: view.surface }, view)
      const withheld = withheldOnGateway({ capability, operation: row.tool }, view)
      if (names.has(`notion__${row.tool}`) === (withheld !== undefined)) {
        assert.fail(JSON.stringify(row))
      }
    }
  })

  it('C8, C9: a state or a share for some tools never changes what is seen', () => {
    const pairs = [
      ['own', 'own in needs_reauth'],
      ['shared with it', 'shared with it for some'],
      ['shared with everybody', 'shared with everybody for some'],
    ] as const
    for (const row of rows()) {
      for (const [one, other] of pairs.filter(([first]) => first === row.account)) {
        const reasons = [one, other].map((account) => {
          const { capability, view } = viewOf({ ...row, account })
          return withheldOnGateway({ capability, operation: row.tool }, view)
        })
        if (reasons[0] !== reasons[1]) assert.fail(JSON.stringify(row))
      }
    }
  })

  it('takes names of members of every object for names like any', () => {
    const { capability, view } = viewOf({ ...NEUTRAL, kind: 'remote' })
    for (const name of ['constructor', '__proto__', 'toString']) {
      const tool = { capability: { ...capability, id: name }, operation: name }
      assert.equal(withheldOnGateway(tool, view), undefined)
      assert.equal(withheldOnGateway(tool, { ...view, environment: name }), 'not_in_environment')
    }
  })
})

describe('withheldManage', () => {
  const FEATURE_OF: Record<string, 'approvals' | 'connectLinks' | 'feedback' | undefined> = {
    approval_wait: 'approvals', // C17
    connectors_list: 'connectLinks', // C18
    connectors_connect: 'connectLinks',
    connectors_wait: 'connectLinks',
    send_feedback: 'feedback', // C19
    whoami: undefined, // C4
    keys_create: undefined,
  }
  for (const [operation, needed] of Object.entries(FEATURE_OF)) {
    it(`${operation}: is there for every caller ${needed ? `where ${needed} is on` : 'at all times'}, as settings say`, () => {
      for (const principal of PRINCIPALS)
        for (const feature of ['approvals', 'connectLinks', 'feedback', 'none'])
          for (const environment of ENVIRONMENTS)
            for (const organization of ['unsaid', 'capability off', 'operation off'])
              for (const member of ['unsaid', 'capability off', 'operation off']) {
                const { view } = viewOf({ ...NEUTRAL, environment, principal })
                const off = (setting: string): CapabilitySettings =>
                  setting === 'operation off'
                    ? { manage: { [operation]: false } }
                    : settingsOf(setting, 'manage')
                const features = {
                  approvals: feature === 'approvals',
                  connectLinks: feature === 'connectLinks',
                  feedback: feature === 'feedback',
                }
                const reason = withheldManage(operation, {
                  ...view,
                  surface: { ...view.surface, features, settings: off(organization) },
                  principal: { ...view.principal, settings: off(member) },
                })
                const isOff = needed !== undefined && feature !== needed
                const expected = isOff
                  ? 'feature_off'
                  : organization !== 'unsaid'
                    ? 'organization_setting'
                    : member !== 'unsaid'
                      ? 'member_setting'
                      : undefined
                assert.equal(reason, expected)
              }
    })
  }
})
