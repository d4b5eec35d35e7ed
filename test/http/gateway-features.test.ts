/** Who sees and may call which `manage__*` tools, and what features hide: checks 9 and 10 of `surfaces.md` U.5. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startAcme, type Acme, type Person } from '../support/acme.ts'
import { inOrganization } from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { callTool, namesOf } from '../support/gateway-client.ts'
import { codeOf } from '../support/manage-listed.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

/** What each feature is for (C17–C19), with arguments that the tools take. */
const HIDDEN = {
  approvals: { approval_wait: { approval_id: 'apr_1', wait_seconds: 0 } },
  connectLinks: {
    connectors_list: {},
    connectors_connect: { connector: 'notion' },
    connectors_wait: { connect_id: 'con_1' },
  },
  feedback: { send_feedback: { message: 'hello' } },
} satisfies Record<string, Record<string, object>>
type Feature = keyof typeof HIDDEN
const FEATURES = Object.keys(HIDDEN) as Feature[]
const toolsOf = (feature: Feature) => Object.keys(HIDDEN[feature]).map((name) => `manage__${name}`)

describe('manage__* tools', { concurrency: 1 }, () => {
  let rollcall: Rollcall
  let acme: Acme
  let member: Person
  let agent: Person
  let session: string
  before(async () => {
    rollcall = await startRollcall()
    acme = await startAcme(rollcall, 'https://api.example.com')
    member = await acme.person('member')
    agent = await acme.person('agent')
    await acme.account('notion', 'mine', { owner: member.id })
    session = (await acme.admin('POST', `/members/${member.id}/session`)).token
  })
  after(() => rollcall.close())

  const credentials = () => ({ member: member.key, agent: agent.key, session })
  const ours = async (key: string) =>
    (await namesOf(rollcall, key)).filter((name) => name.startsWith('manage__'))
  const put = (features: Partial<Record<Feature, boolean>>) =>
    acme.admin('PATCH', '/settings', { features })
  const untilListed = (key: string, isFine: (names: readonly string[]) => boolean) =>
    eventually(() => ours(key), isFine)
  const codes = async (operation: string, args: object = {}) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(credentials()).map(async ([who, key]) => {
          const { result } = await callTool(rollcall, key, `manage__${operation}`, args)
          const code = result.isError === true ? result.structuredContent.error.code : 'ok'
          return [who, code] as const
        }),
      ),
    )
  const assertUnknown = async (name: string, args: object) => {
    for (const key of Object.values(credentials())) {
      const { error, result } = await callTool(rollcall, key, name, args)
      assert.deepEqual(error, { code: -32602, message: `Tool not found: ${name}` }, `${result}`)
      const madeUp = (await callTool(rollcall, key, 'manage__made_up', args)).error
      assert.deepEqual(error, {
        ...madeUp,
        message: madeUp.message.replace('manage__made_up', name),
      })
    }
  }

  it('U.5 10: of features that are off are absent, and unknown when they are called', async () => {
    for (const key of Object.values(credentials())) {
      const names = await ours(key)
      for (const name of FEATURES.flatMap(toolsOf)) assert.ok(!names.includes(name), name)
      assert.ok(names.includes('manage__whoami'))
    }
    for (const feature of FEATURES) {
      for (const [operation, args] of Object.entries(HIDDEN[feature])) {
        await assertUnknown(`manage__${operation}`, args)
      }
    }
  })

  it('C17–C19: are listed with their own feature alone, and gone from calls the moment it is off', async () => {
    for (const feature of FEATURES) {
      await put({ [feature]: true })
      const expected = (names: readonly string[]) =>
        FEATURES.every((each) =>
          toolsOf(each).every((name) => names.includes(name) === (each === feature)),
        )
      for (const key of Object.values(credentials())) await untilListed(key, expected)
      for (const [operation, args] of Object.entries(HIDDEN[feature])) {
        const { result } = await callTool(rollcall, member.key, `manage__${operation}`, args)
        assert.ok(result !== undefined, operation)
      }
      await put({ [feature]: false })
      for (const [operation, args] of Object.entries(HIDDEN[feature])) {
        await assertUnknown(`manage__${operation}`, args)
      }
      await untilListed(member.key, (names) => !toolsOf(feature).some((n) => names.includes(n)))
    }
  })

  it('U.5 9: are the same for a member key, an agent key and a session', async () => {
    await put({ approvals: true, connectLinks: true, feedback: true })
    const all = FEATURES.flatMap(toolsOf)
    for (const key of Object.values(credentials())) {
      await untilListed(key, (names) => all.every((name) => names.includes(name)))
    }
    const [first = [], ...others] = await Promise.all(Object.values(credentials()).map(ours))
    for (const other of others) assert.deepEqual(other, first)
    assert.equal(first.length, 25)
  })

  it('U.5 9, C7: mint a key for who is signed in, and for no key', async () => {
    assert.deepEqual(await codes('keys_create', { name: 'Another' }), {
      member: 'api_key_cannot_mint',
      agent: 'api_key_cannot_mint',
      session: 'ok',
    })
    assert.deepEqual(await codes('keys_rotate', { key: member.keyId }), {
      member: 'api_key_cannot_mint',
      agent: 'api_key_cannot_mint',
      session: 'ok',
    })
    member.key = (await acme.admin('POST', `/keys/${member.keyId}/rotate`)).secret
  })

  it('U.5 9, D26: switch the organization of who is signed in alone', async () => {
    const { member: byMember, agent: byAgent, session: signedIn } = await codes('switch_org')
    assert.deepEqual([byMember, byAgent, signedIn], ['session_required', 'session_required', 'ok'])
    const { result } = await callTool(rollcall, member.key, 'manage__switch_org')
    assert.equal(JSON.parse(result.content[0].text).error.code, 'session_required', 'C40')
    const other = await callTool(rollcall, session, 'manage__switch_org', {
      organization: acme.organization,
    })
    const { token } = other.result.structuredContent.session
    assert.deepEqual(await ours(token), await ours(session))
    assert.equal(
      await codeOf(rollcall, token, 'switch_org', { organization: 'none' }),
      'organization_not_found',
    )
  })

  it('U.5 9, C5, C6: refuse an agent what takes a permission, or is a member’s own', async () => {
    const server = '0123456789abcdef'
    const writes = {
      remote_add: { url: 'https://mcp.example.com/' },
      remote_refresh: { server },
      remote_remove: { server },
    }
    for (const [operation, args] of Object.entries(writes)) {
      assert.equal(
        await codeOf(rollcall, agent.key, operation, args),
        'insufficient_role',
        operation,
      )
    }
    const mine = { connector: 'notion', alias: 'mine' }
    const own = {
      accounts_rename: { ...mine, new_alias: 'ours' },
      accounts_remove: mine,
      connectors_connect: { connector: 'notion' },
      keys_list: {},
    }
    for (const [operation, args] of Object.entries(own)) {
      const code = await codeOf(rollcall, agent.key, operation, args)
      assert.equal(code, 'member_principal_required', operation)
    }
  })

  it('C16: wait for held calls of one’s own, agents too, and answer one code for all others', async () => {
    const args = HIDDEN.approvals.approval_wait
    assert.deepEqual(await codes('approval_wait', args), {
      member: 'approval_not_found',
      agent: 'approval_not_found',
      session: 'approval_not_found',
    })
  })

  it('are one organization’s to switch', async () => {
    const other = await startAcme(rollcall, 'https://api.example.com', 'other')
    const stranger = await other.person('member')
    const names = await ours(stranger.key)
    assert.ok(!FEATURES.flatMap(toolsOf).some((name) => names.includes(name)))
    const { json } = await rollcall.admin('GET', '/settings', undefined, inOrganization('other'))
    assert.deepEqual(json.features, { approvals: false, connectLinks: false, feedback: false })
  })
})
