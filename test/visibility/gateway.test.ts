/**
 * Every combination of what decides, against the rules as surfaces.md has them in words. The reference
 * knows no ids and no order of checks beyond its own sentences.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withheldOnGateway, type Reason } from '../../src/visibility/gateway.ts'
import { visibleOnGateway } from '../../src/visibility/gateway-list.ts'
import {
  ACCOUNTS,
  ENVIRONMENTS,
  KINDS,
  NEUTRAL,
  PRINCIPALS,
  rows,
  SETTINGS,
  TOOLS,
  viewOf,
  type Row,
} from '../support/gateway-rows.ts'
import { gatewayOf } from '../support/gateways.ts'
import { serverFile, tool as toolOf } from '../support/servers.ts'

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
