/** `manage__*` tools and organizations: switching to another, and one that is suspended (`surfaces.md` D26, C39). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { askGateway, serveEcho, startAcme, type Acme, type Person } from '../support/acme.ts'
import { inOrganization } from '../support/admin.ts'
import { callTool, untilListed } from '../support/gateway-client.ts'
import { askManage, codeOf, definitionsFor, type Definitions } from '../support/manage-listed.ts'
import { legacy } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

describe('manage__* tools', { concurrency: 1 }, () => {
  let rollcall: Rollcall
  let echo: Awaited<ReturnType<typeof serveEcho>>
  let acme: Acme
  let alice: Person
  let admin: Person
  let agent: Person
  let definitions: Definitions
  before(async () => {
    echo = await serveEcho()
    rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
    acme = await startAcme(rollcall, echo.url)
    alice = await acme.person('member')
    admin = await acme.person('member', { role: 'admin' })
    agent = await acme.person('agent')
    await untilListed(rollcall, alice.key, ['memory__search'])
    definitions = await definitionsFor(rollcall, alice.key)
  })
  after(async () => {
    await rollcall.close()
    await echo.close()
  })

  const ask = (credential: string, operation: string, args: object = {}) =>
    askManage(rollcall, definitions, credential, operation, args)
  const refused = (credential: string, operation: string, args: object = {}) =>
    codeOf(rollcall, credential, operation, args)
  const session = async ({ id }: Person, body?: object) =>
    (await acme.admin('POST', `/members/${id}/session`, body)).token as string

  it('D26: switch_org lists where a signed-in person is a member, and opens one for as long', async () => {
    const externalId = { issuer: 'https://login.example.com', subject: 'carol' }
    const carol = await acme.person('member', { externalId })
    const other = await startAcme(rollcall, echo.url, 'other')
    const carolThere = await other.person('member', { externalId, role: 'admin' })
    const away = await startAcme(rollcall, echo.url, 'away')
    const stranger = await away.person('member')
    const here = { id: acme.organization, name: 'acme', role: 'member', current: true }
    const there = { id: other.organization, name: 'other', role: 'admin', current: false }
    const bare = await session(carol)
    assert.deepEqual(await ask(bare, 'switch_org'), { organizations: [here], session: null })
    const proven = await session(carol, { externalId })
    const both = { organizations: [here, there], session: null }
    assert.deepEqual(await ask(proven, 'switch_org'), both)
    for (const organization of ['other', other.organization]) {
      const { session: opened } = await ask(proven, 'switch_org', { organization })
      const answered = await ask(opened.token, 'whoami')
      assert.equal(answered.organization.id, other.organization)
      assert.equal(answered.principal.id, carolThere.id)
      const own = await ask(proven, 'whoami')
      assert.ok(Date.parse(opened.expiresAt) <= Date.parse(own.credential.expiresAt))
      const back = await ask(opened.token, 'switch_org', { organization: 'acme' })
      assert.equal(back.session.organization, acme.organization)
    }
    const unknown = await callTool(rollcall, proven, 'manage__switch_org', { organization: 'away' })
    const madeUp = await callTool(rollcall, proven, 'manage__switch_org', { organization: 'none' })
    assert.deepEqual(unknown, madeUp)
    assert.equal(unknown.result.structuredContent.error.code, 'organization_not_found')
    assert.equal(
      await refused(bare, 'switch_org', { organization: 'other' }),
      'organization_not_found',
    )
    await other.admin('PATCH', `/members/${carolThere.id}`, { status: 'suspended' })
    assert.deepEqual((await ask(proven, 'switch_org')).organizations, [here])
    // Whoever an admin calls its own member is not proven by that to be a member elsewhere.
    await away.admin('PATCH', `/members/${stranger.id}`, { externalId })
    await other.admin('PATCH', `/members/${carolThere.id}`, { status: 'active' })
    const { token } = await away.admin('POST', `/members/${stranger.id}/session`)
    const names = (await ask(token, 'switch_org')).organizations.map(
      ({ name }: { name: string }) => name,
    )
    assert.deepEqual(names, ['away'])
    const said = { externalId: { ...externalId, subject: 'mallory' } }
    const headers = inOrganization('away')
    const path = `/members/${stranger.id}/session`
    assert.equal((await rollcall.admin('POST', path, said, headers)).status, 422)
  })

  it('C39: refuse at once whoever is of an organization that is suspended, as the admin API does', async () => {
    const halted = await startAcme(rollcall, echo.url, 'halted')
    const { key } = await halted.person('member', { role: 'owner' })
    const servers = () =>
      rollcall.send('/api/v1/servers', { headers: { authorization: `Bearer ${key}` } })
    await ask(key, 'whoami')
    assert.equal((await servers()).status, 200)
    const status = (value: string) =>
      rollcall.admin('PATCH', `/organizations/${halted.organization}`, { status: value })
    await status('suspended')
    const whoami = legacy('tools/call', { name: 'manage__whoami', arguments: {} })
    for (const answer of [await servers(), await askGateway(rollcall, key, whoami)]) {
      assert.equal(answer.status, 403, answer.text)
      assert.equal(answer.json.error.code, 'org_suspended')
    }
    assert.equal((await halted.admin('GET', '/servers')).items.length, 3)
    await status('active')
    assert.equal((await servers()).status, 200)
  })

  it('C13, C40: refuses keys a switch of organization, with the envelope in the text, too', async () => {
    for (const { key } of [alice, admin, agent]) {
      const { result } = await callTool(rollcall, key, 'manage__switch_org')
      assert.equal(result.isError, true)
      assert.equal(result.structuredContent.error.code, 'session_required')
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent)
    }
  })
})
