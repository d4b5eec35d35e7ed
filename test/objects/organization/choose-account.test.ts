import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { EnvironmentEntry } from '../../../src/catalog/surface.ts'
import { chooseAccount, type Seen } from '../../../src/objects/organization/choose-account.ts'

const SERVER = '0123456789abcdef'
const own = (alias: string, members: Partial<Seen> = {}): Seen => ({
  id: `acc_${alias}`,
  alias,
  state: 'connected',
  grants: [undefined],
  ...members,
})
const stale = (alias: string) => own(alias, { state: 'needs_reauth' })
const shared = (alias: string, ...grants: string[][]) => own(alias, { grants })
const entry = (members: Partial<EnvironmentEntry> = {}): EnvironmentEntry => ({
  server: SERVER,
  ...members,
})

type Case = [
  what: string,
  seen: Seen[],
  wanted: { alias?: string; entries?: EnvironmentEntry[] },
  expected: string,
]

/** The tool that is called is `write`. */
const CASES: Case[] = [
  ['no account', [], {}, 'not_connected'],
  ['one of its own', [own('a')], {}, 'a'],
  ['one that must be connected again', [stale('a')], {}, 'needs_reauth a'],
  ['one shared for this tool', [shared('a', ['write'])], {}, 'a'],
  ['one shared for another tool', [shared('a', ['read'])], {}, 'tool_not_granted'],
  ['one shared twice, once for this tool', [shared('a', ['read'], ['write'])], {}, 'a'],
  ['two', [own('b'), own('a')], {}, 'ambiguous_account a,b'],
  ['two, one for another tool', [own('a'), shared('b', ['read'])], {}, 'a'],
  ['two, both for other tools', [shared('a', ['x']), shared('b', ['y'])], {}, 'tool_not_granted'],
  ['two, one to be connected again', [own('a'), stale('b')], {}, 'ambiguous_account a,b'],
  ['two, both to be connected again', [stale('a'), stale('b')], {}, 'needs_reauth a,b'],
  [
    'two of one alias, named',
    [own('a'), shared('a', ['write'])],
    { alias: 'a' },
    'ambiguous_account a,a',
  ],
  ['one named of two', [own('a'), own('b')], { alias: 'b' }, 'b'],
  ['one named that is for another tool', [shared('a', ['x'])], { alias: 'a' }, 'tool_not_granted'],
  ['one named that is stale', [own('a'), stale('b')], { alias: 'b' }, 'needs_reauth b'],
  ['one named that is not there', [own('a')], { alias: 'z' }, 'not_connected a'],
  ['one named where there is none', [], { alias: 'z' }, 'not_connected'],
  ['an environment without the server', [own('a')], { entries: [] }, 'not_connected'],
  ['an environment with the server', [own('a')], { entries: [entry()] }, 'a'],
  [
    'an environment with one account of two',
    [own('a'), own('b')],
    { entries: [entry({ account: 'acc_b' })] },
    'b',
  ],
  [
    'the other account of that environment, named',
    [own('a'), own('b')],
    { alias: 'a', entries: [entry({ account: 'acc_b' })] },
    'not_connected b',
  ],
  [
    'an environment with an account that is not seen',
    [own('a')],
    { entries: [entry({ account: 'acc_z' })] },
    'not_connected',
  ],
  ['an environment with this tool', [own('a')], { entries: [entry({ tools: ['write'] })] }, 'a'],
  [
    'an environment with another tool',
    [own('a')],
    { entries: [entry({ tools: ['read'] })] },
    'tool_not_granted',
  ],
  [
    'an environment with this tool, an account for another',
    [shared('a', ['read'])],
    { entries: [entry({ tools: ['write'] })] },
    'tool_not_granted',
  ],
  [
    'an environment with this tool for one account alone',
    [own('a'), own('b')],
    {
      entries: [
        entry({ account: 'acc_a', tools: ['read'] }),
        entry({ account: 'acc_b', tools: ['write'] }),
      ],
    },
    'b',
  ],
]

describe('The account of a call', () => {
  for (const [what, seen, { alias, entries }, expected] of CASES) {
    it(`of ${what}: ${expected}`, () => {
      const chosen = chooseAccount(seen, { tool: 'write', alias, entries })
      if ('refused' in chosen) {
        const { code, aliases = [], message } = chosen.refused
        assert.equal([code, ...(aliases.length > 0 ? [aliases.join(',')] : [])].join(' '), expected)
        assert.notEqual(message, '')
      } else assert.equal(chosen.account, `acc_${expected}`)
    })
  }
})
