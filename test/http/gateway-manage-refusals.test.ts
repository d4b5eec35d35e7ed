/** `manage__*` tools about servers: whom and what they refuse (`surfaces.md` D14, C5, C11, C14). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startAcme, type Acme, type Person } from '../support/acme.ts'
import { inOrganization } from '../support/admin.ts'
import { callTool } from '../support/gateway-client.ts'
import { refusedManage, runManage, WRITES } from '../support/manage.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { startModernMcp, type ModernMcp } from '../support/upstreams/mcp-modern.ts'

const NOWHERE = '0123456789abcdef'

describe('manage__* tools about servers', { concurrency: 1 }, () => {
  let rollcall: Rollcall
  let upstream: ModernMcp
  let acme: Acme
  let admin: Person
  let adder: Person
  let member: Person
  let agent: Person
  before(async () => {
    upstream = await startModernMcp({ kind: 'modern' })
    rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
    acme = await startAcme(rollcall, 'https://api.example.com')
    admin = await acme.person('member', { role: 'admin' })
    adder = await acme.person('member', { permissions: ['connections:org'] })
    member = await acme.person('member')
    agent = await acme.person('agent')
  })
  after(async () => {
    await rollcall.close()
    await upstream.close()
  })

  const run = (person: Person, operation: string, args: object = {}) =>
    runManage(rollcall, person, operation, args)
  const refused = (person: Person, operation: string, args: object = {}) =>
    refusedManage(rollcall, person, operation, args)
  const add = async (args: object = {}) =>
    (await run(adder, 'remote_add', { url: upstream.url, ...args })).remote
  const argumentsOf = (server: string) => ({
    remote_add: { url: upstream.url },
    remote_refresh: { server },
    remote_remove: { server },
    tools_pause: { server, tool: 'echo' },
    tools_resume: { server, tool: 'echo' },
    tools_reorder: { server, names: [] },
  })

  it('C5, C14, D14: refuse writes to whoever has not the role, each with its code', async () => {
    const remote = await add({ name: 'Guarded' })
    const args = argumentsOf(remote.id)
    for (const operation of WRITES) {
      const code = operation.startsWith('remote_') ? 'insufficient_role' : 'admin_required'
      for (const person of [member, agent]) {
        assert.equal((await refused(person, operation, args[operation])).code, code, operation)
      }
      if (code === 'insufficient_role') continue
      assert.equal((await refused(adder, operation, args[operation])).code, code, operation)
    }
    await run(admin, 'remote_refresh', { server: remote.id }) // an admin has every permission
    await run(admin, 'remote_remove', { server: remote.id })
  })

  it('D14: refuse at once what a member was allowed a moment ago', async () => {
    const brief = await acme.person('member', { permissions: ['connections:org'] })
    const remote = (await run(brief, 'remote_add', { url: upstream.url })).remote
    await acme.admin('PATCH', `/members/${brief.id}`, { permissions: [] })
    const { code } = await refused(brief, 'remote_remove', { server: remote.id })
    assert.equal(code, 'insufficient_role')
    await run(admin, 'remote_remove', { server: remote.id })
  })

  it('know no server of another organization, and none that is not remote as such', async () => {
    const other = await startAcme(rollcall, 'https://api.example.com', 'other')
    const remote = await add({ name: 'Ours' })
    const stranger = await other.person('member', { role: 'owner' })
    for (const operation of ['remote_show', 'remote_refresh', 'remote_remove'] as const) {
      const theirs = await refused(stranger, operation, { server: remote.id })
      const none = await refused(stranger, operation, { server: NOWHERE })
      assert.equal(theirs.code, 'server_not_found')
      assert.deepEqual(theirs, { ...none, message: none.message.replace(NOWHERE, remote.id) })
      for (const server of [acme.servers.memory, acme.servers.notion]) {
        assert.equal((await refused(admin, operation, { server })).code, 'not_remote')
      }
    }
    for (const operation of ['tools_pause', 'tools_resume', 'tools_reorder'] as const) {
      const args = argumentsOf(remote.id)[operation]
      assert.equal((await refused(stranger, operation, args)).code, 'server_not_found')
    }
    assert.deepEqual(await run(stranger, 'remote_list'), { remotes: [] })
    const { status } = await rollcall.admin(
      'GET',
      `/servers/${remote.id}`,
      undefined,
      inOrganization('acme'),
    )
    assert.equal(status, 200)
    await run(adder, 'remote_remove', { server: remote.id })
  })

  it('leave a connector alone, remote as it may be, since accounts go with it', async () => {
    const { id: server } = await acme.admin('POST', '/servers', {
      name: 'Remote connector',
      kind: 'remote',
      account: 'required',
      gateway: 'far',
      remote: { url: upstream.url },
    })
    assert.deepEqual(await run(adder, 'remote_list'), { remotes: [] })
    for (const operation of ['remote_show', 'remote_refresh', 'remote_remove']) {
      assert.equal((await refused(adder, operation, { server })).code, 'not_remote')
    }
    const refresh = async ({ key }: Person, id: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const init = { method: 'POST', headers }
      const { status, json } = await rollcall.send(`/api/v1/servers/${id}/refresh`, init)
      return [status, json.error?.code]
    }
    assert.deepEqual(await refresh(adder, server), [403, 'admin_required'])
    assert.deepEqual(await refresh(member, server), [403, 'insufficient_role'])
    assert.deepEqual(await refresh(admin, server), [200, undefined])
    const remote = await add({ name: 'Refreshed' })
    assert.deepEqual(await refresh(adder, remote.id), [200, undefined])
    await run(adder, 'remote_remove', { server: remote.id })
    await acme.admin('DELETE', `/servers/${server}`)
  })

  it('name the argument that is wrong, and store nothing', async () => {
    const { memory } = acme.servers
    const header = (name: string, value: string) => ({
      url: upstream.url,
      header: { name, value },
    })
    const wrong: [operation: string, args: object, message: RegExp][] = [
      ['remote_add', {}, /\burl\b/],
      ['remote_add', { url: 'ftp://example.com/mcp' }, /\burl\b/],
      ['remote_add', { url: 'https://user:secret@example.com/mcp' }, /url must have no user/],
      ['remote_add', { url: upstream.url, slug: 'No Slug' }, /\bslug\b/],
      ['remote_add', { url: upstream.url, other: 1 }, /\bother\b/],
      ['remote_add', header('host', 'x'), /header\.name is set by the transport/],
      ['remote_add', header('x-key', 'two\r\nlines'), /header\.value must be printable/],
      ['remote_show', { server: '../x' }, /\bserver\b/],
      ['tools_pause', { server: memory, tool: 'nothing' }, /no tool "nothing"/],
      ['tools_reorder', { server: memory, names: ['nothing'] }, /names\[0\] "nothing" is no tool/],
    ]
    for (const [operation, args, message] of wrong) {
      const { result } = await callTool(rollcall, admin.key, `manage__${operation}`, args)
      assert.equal(result.isError, true)
      assert.match(result.content[0].text, message, JSON.stringify(args))
    }
    assert.deepEqual((await acme.admin('GET', '/secrets')).items, [])
    assert.deepEqual(await run(admin, 'remote_list'), { remotes: [] })
  })

  it('C11: run no more from the moment they are switched off, as names that nobody has', async () => {
    const remote = await add({ name: 'Kept' })
    const args = { server: remote.id }
    const frank = await acme.person('member', { role: 'admin' })
    await run(frank, 'remote_show', args)
    const assertNotFound = async (operation: string) => {
      const name = `manage__${operation}`
      for (const given of [args, { wrong: 1 }]) {
        const { error } = await callTool(rollcall, frank.key, name, given)
        assert.deepEqual(error, { code: -32602, message: `Tool not found: ${name}` })
      }
    }
    const settings = { manage: { remote_refresh: false } }
    await acme.admin('PATCH', `/members/${frank.id}`, { settings })
    await assertNotFound('remote_refresh')
    await acme.admin('PATCH', '/settings', { capabilities: { manage: { remote_remove: false } } })
    await assertNotFound('remote_remove')
  })
})
