/** Every combination of what decides whether a caller sees a tool on the gateway. */
import type { Principal } from '../../src/callers/principal.ts'
import type { Capability, CapabilitySettings, Surface } from '../../src/catalog/surface.ts'

export const TOOLS = ['read', 'write'] as const // a share or an environment "for some" is for `read`

export const KINDS = ['connector', 'remote connector', 'built-in', 'remote'] as const
export const ACCOUNTS = [
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
export const SETTINGS = ['unsaid', 'on', 'capability off', 'operation on', 'operation off'] as const
export const ENVIRONMENTS = [
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
export const PRINCIPALS = ['member', 'agent'] as const

/** One combination of what decides. */
export type Row = {
  kind: (typeof KINDS)[number]
  account: (typeof ACCOUNTS)[number]
  organization: (typeof SETTINGS)[number]
  member: (typeof SETTINGS)[number]
  environment: (typeof ENVIRONMENTS)[number]
  principal: (typeof PRINCIPALS)[number]
  tool: (typeof TOOLS)[number]
}

/** Every combination. */
export function* rows(): Generator<Row> {
  for (const kind of KINDS)
    for (const account of ACCOUNTS)
      for (const organization of SETTINGS)
        for (const member of SETTINGS)
          for (const environment of ENVIRONMENTS)
            for (const principal of PRINCIPALS)
              for (const tool of TOOLS)
                yield { kind, account, organization, member, environment, principal, tool }
}

const SERVER = 'server-1'

/** A row in which nothing is said. */
export const NEUTRAL: Row = {
  kind: 'connector',
  account: 'none',
  organization: 'unsaid',
  member: 'unsaid',
  environment: 'none',
  principal: 'member',
  tool: 'read',
}

/** Settings that say so of a capability. */
export function settingsOf(setting: string, capability: string): CapabilitySettings {
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

/** A combination as the code takes it: the capability, and who looks at which surface. */
export function viewOf({ kind, account, organization, member, environment, principal }: Row) {
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
