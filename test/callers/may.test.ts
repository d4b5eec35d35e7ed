import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ACTS,
  actorName,
  may,
  mayGive,
  requireMay,
  requireMayGive,
  requireMember,
  type Act,
  type Actor,
  type ActingKind,
} from '../../src/callers/may.ts'
import type { Permission, Principal, Role } from '../../src/callers/principal.ts'

type Expected = ReturnType<typeof may> | 'ok'

function member(
  role: Role,
  credentialKind: ActingKind,
  permissions: Permission[] = [],
): Exclude<Actor, 'operator'> {
  const principal: Principal = {
    id: `mem_${role}`,
    organization: 'org_1',
    kind: 'member',
    status: 'active',
    role,
    permissions,
    settings: {},
    accounts: [],
    version: 1,
  }
  return { principal, credentialKind }
}

function agent(): Actor {
  const { principal } = member('member', 'agent')
  const { role: _, ...rest } = principal
  return { principal: { ...rest, id: 'agt_1', kind: 'agent' }, credentialKind: 'agent' }
}

const ACTORS = {
  operator: 'operator',
  ownerSession: member('owner', 'session'),
  adminSession: member('admin', 'session'),
  memberSession: member('member', 'session'),
  adminOauth: member('admin', 'oauth'),
  memberOauth: member('member', 'oauth'),
  adminKey: member('admin', 'member'),
  memberKey: member('member', 'member'),
  permittedKey: member('member', 'member', ['connections:org']),
  agentKey: agent(),
} satisfies Record<string, Actor>
type Name = keyof typeof ACTORS

const ok: Expected = 'ok'
const admin: Expected = 'admin_required'
const role: Expected = 'insufficient_role'
const own: Expected = 'member_principal_required'
const mint: Expected = 'api_key_cannot_mint'
const session: Expected = 'session_required'
const op: Expected = 'operator_required'

/** What each rule says in words, a row for each class of acts and a column for each actor. */
const COLUMNS: readonly Name[] = [
  'operator',
  'ownerSession',
  'adminSession',
  'memberSession',
  'adminOauth',
  'memberOauth',
  'adminKey',
  'memberKey',
  'permittedKey',
  'agentKey',
]
const CLASSES: Readonly<Record<string, readonly Expected[]>> = {
  everybody: [ok, ok, ok, ok, ok, ok, ok, ok, ok, ok],
  admins: [ok, ok, ok, admin, ok, admin, ok, admin, admin, admin],
  permitted: [ok, ok, ok, role, ok, role, ok, role, ok, role],
  own: [ok, ok, ok, ok, ok, ok, ok, ok, ok, own],
  ownMint: [ok, ok, ok, ok, session, session, mint, mint, mint, mint],
  adminMint: [ok, ok, ok, admin, session, session, mint, mint, mint, mint],
  adminSession: [ok, ok, ok, admin, session, session, session, session, session, session],
  ownSession: [ok, ok, ok, ok, session, session, session, session, session, session],
  operator: [ok, op, op, op, op, op, op, op, op, op],
}
const CLASS_OF: Readonly<Record<Act, keyof typeof CLASSES>> = {
  'servers.read': 'everybody',
  'members.read': 'everybody',
  'agents.read': 'everybody',
  'accounts.read': 'everybody',
  'environments.read': 'everybody',
  'settings.read': 'everybody',
  'usage.read': 'everybody',
  'feedback.send': 'everybody',
  'variables.read': 'everybody',
  'connections.read': 'everybody',
  'servers.export': 'admins',
  'members.identify': 'admins',
  'keys.read': 'admins',
  'secrets.read': 'admins',
  'sessions.read': 'admins',
  'calls.read': 'admins',
  'audit.read': 'admins',
  'approvals.read': 'admins',
  'keys.read.own': 'own',
  'keys.revoke.own': 'own',
  'accounts.write.own': 'own',
  'grants.write.own': 'own',
  'servers.write': 'admins',
  'tools.write': 'admins',
  'tools.try': 'admins',
  'remote.write': 'permitted',
  'tools.approve': 'permitted',
  'accounts.write': 'admins',
  'grants.write': 'admins',
  'environments.write': 'admins',
  'secrets.write': 'admins',
  'variables.write': 'admins',
  'connections.write': 'admins',
  'settings.write': 'admins',
  'agents.write': 'admins',
  'keys.revoke': 'admins',
  'sessions.end': 'admins',
  'calls.delete': 'admins',
  'keys.mint.own': 'ownMint',
  'keys.mint': 'adminMint',
  'members.write': 'adminSession',
  'approvals.decide': 'adminSession',
  'organization.switch': 'ownSession',
  'organizations.manage': 'operator',
  'sessions.mint': 'operator',
  'keys.mint.other': 'operator',
  'accounts.write.other': 'operator',
  'grants.write.other': 'operator',
}

describe('may', () => {
  for (const act of ACTS) {
    it(`decides ${act} for every actor`, () => {
      const decided = COLUMNS.map((name) => may(ACTORS[name], act) ?? 'ok')
      assert.deepEqual(decided, CLASSES[CLASS_OF[act]])
    })
  }

  it('throws 403 with the refusal as its code', () => {
    assert.throws(() => requireMay(ACTORS.memberKey, 'servers.write'), {
      status: 403,
      code: 'admin_required',
    })
    assert.doesNotThrow(() => requireMay(ACTORS.adminKey, 'servers.write'))
  })

  it('tells members and the operator from agents', () => {
    const refused = { status: 403, code: 'member_principal_required' }
    assert.throws(() => requireMember(ACTORS.agentKey), refused)
    for (const name of ['operator', 'memberKey'] as const) {
      assert.doesNotThrow(() => requireMember(ACTORS[name]))
    }
  })

  it('names an actor by its principal', () => {
    assert.deepEqual(
      (['operator', 'adminKey', 'agentKey'] as const).map((name) => actorName(ACTORS[name])),
      ['operator', 'mem_admin', 'agt_1'],
    )
  })
})

describe('mayGive', () => {
  const ROWS: [actor: Name, role: Role, expected: Expected][] = [
    ['operator', 'owner', ok],
    ['ownerSession', 'owner', ok],
    ['ownerSession', 'member', ok],
    ['adminSession', 'owner', role],
    ['adminSession', 'admin', ok],
    ['adminSession', 'member', ok],
    ['memberSession', 'admin', role],
    ['memberSession', 'owner', role],
    ['memberSession', 'member', ok],
    ['agentKey', 'member', role],
  ]
  for (const [actor, given, expected] of ROWS) {
    it(`lets ${actor} ${expected === ok ? '' : 'not '}give ${given}`, () => {
      assert.equal(mayGive(ACTORS[actor], given) ?? 'ok', expected)
      if (expected === ok) assert.doesNotThrow(() => requireMayGive(ACTORS[actor], given))
      else assert.throws(() => requireMayGive(ACTORS[actor], given), { code: expected })
    })
  }
})
