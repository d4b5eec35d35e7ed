/** `manage__*` tools about servers: what each does (`surfaces.md` D13). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MANAGE_TOOLS } from '../../src/surfaces/gateway/manage/definitions.ts'
import { startAcme, type Acme, type Person } from '../support/acme.ts'
import { callTool, untilListed } from '../support/gateway-client.ts'
import { refusedManage, runManage, WRITES } from '../support/manage.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { tool } from '../support/servers.ts'
import { startModernMcp, type ModernMcp } from '../support/upstreams/mcp-modern.ts'

const OPERATIONS = new Set([
  'remote_list',
  'remote_show',
  'remote_add',
  'remote_refresh',
  'remote_remove',
  'servers_list',
  'tools_pause',
  'tools_resume',
  'tools_reorder',
])
const SECRET = 'a-token-that-nobody-reads'

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

  it('say what they take and give, and truly whether they write', () => {
    for (const { operation, definition } of MANAGE_TOOLS) {
      if (!OPERATIONS.delete(operation)) continue
      assert.equal(definition.inputSchema['additionalProperties'], false, operation)
      assert.ok(definition.outputSchema, operation)
      const isWrite = WRITES.some((each) => each === operation)
      assert.equal(definition.annotations?.readOnlyHint, !isWrite, operation)
    }
    assert.deepEqual([...OPERATIONS], [])
  })

  it('add a remote server, list it for everybody, show its tools, and remove it', async () => {
    const remote = await add({ name: 'Field notes' })
    assert.deepEqual([remote.slug, remote.capability], ['field-notes', 'org__field-notes'])
    assert.deepEqual([remote.kind, remote.url], ['remote', upstream.url])
    assert.equal(remote.toolCount, upstream.world.tools.size)
    assert.equal(remote.problem, undefined)
    for (const person of [member, agent]) {
      const { remotes } = await run(person, 'remote_list')
      assert.deepEqual(
        remotes.map(({ id }: { id: string }) => id),
        [remote.id],
      )
      const shown = await run(person, 'remote_show', { server: remote.id })
      assert.deepEqual(shown.remote, remote)
      const originals = shown.tools.map((each: { originalName: string }) => each.originalName)
      assert.deepEqual(originals.toSorted(), [...upstream.world.tools.keys()].toSorted())
      const names = shown.tools.map(({ name }: { name: string }) => `org__field-notes__${name}`)
      await untilListed(rollcall, person.key, ['memory__search', ...names])
    }
    const called = await callTool(rollcall, member.key, 'org__field-notes__echo', { text: 'hi' })
    assert.match(JSON.stringify(called.result.content), /hi/)
    assert.deepEqual(await run(adder, 'remote_remove', { server: remote.id }), {
      removed: remote.id,
    })
    assert.deepEqual(await run(member, 'remote_list'), { remotes: [] })
    await untilListed(rollcall, member.key, ['memory__search'])
    const { items } = await acme.admin('GET', '/audit')
    const acts = items.filter(({ actor }: { actor: string }) => actor === adder.id)
    assert.deepEqual(
      acts.map(({ act }: { act: string }) => act),
      ['servers.delete', 'servers.create'],
    )
  })

  it('add a server whose tools are to be approved, and tell which are and which ask', async () => {
    const approvalPolicy = 'require_approval_per_tool'
    const remote = await add({ name: 'Careful', approvalPolicy })
    assert.deepEqual([remote.approvalPolicy, remote.toolCount], [approvalPolicy, 0])
    assert.equal(remote.leftCount, upstream.world.tools.size)
    const { revision } = await acme.admin('GET', `/servers/${remote.id}`)
    const tools = [{ name: 'echo' }, { name: 'add', policy: 'auto_approved' }]
    await acme.admin('POST', `/servers/${remote.id}/approve`, { revision, tools })
    await untilListed(rollcall, member.key, [
      'memory__search',
      'org__careful__echo',
      'org__careful__add',
    ])
    const shown = await run(member, 'remote_show', { server: remote.id })
    assert.partialDeepStrictEqual(shown.tools, [
      { name: 'echo', approval: 'up_to_date', asks: true },
      { name: 'add', approval: 'up_to_date', asks: false },
    ])
    const refusedCall = await callTool(rollcall, member.key, 'org__careful__echo', { text: 'hi' })
    assert.equal(refusedCall.result.isError, true)
    assert.equal(refusedCall.result.structuredContent.error.code, 'approval_required')
    const called = await callTool(rollcall, member.key, 'org__careful__add', { a: 1, b: 2 })
    assert.equal(called.result.structuredContent.sum, 3)
    await run(adder, 'remote_remove', { server: remote.id })
  })

  it('name a server without a name by its host, and one of a slug that is taken not at all', async () => {
    const remote = await add({ slug: 'taken' })
    assert.equal(remote.name, new URL(upstream.url).host)
    const again = { url: upstream.url, slug: 'taken', header: { name: 'x-key', value: SECRET } }
    assert.equal((await refused(adder, 'remote_add', again)).code, 'slug_taken')
    assert.deepEqual((await acme.admin('GET', '/secrets')).items, [])
    await run(adder, 'remote_remove', { server: remote.id })
  })

  it('seal a credential, send it, tell nobody, and drop it with the server', async () => {
    const closed = await startModernMcp({ kind: 'modern', bearer: SECRET })
    const header = { name: 'Authorization', value: `Bearer ${SECRET}` }
    const remote = await add({ url: closed.url, name: 'Closed', header })
    assert.equal(remote.toolCount, closed.world.tools.size)
    const [secret] = (await acme.admin('GET', '/secrets')).items
    assert.match(secret.name, /^remote_[0-9a-f]{20}$/)
    const shown = await run(admin, 'remote_show', { server: remote.id })
    const exported = await acme.admin('GET', `/servers/${remote.id}/export`)
    const audit = await acme.admin('GET', '/audit')
    for (const told of [remote, shown, exported, audit]) {
      assert.ok(!JSON.stringify(told).includes(SECRET))
    }
    const copy = await acme.admin('POST', `/servers/${remote.id}/duplicate`)
    await run(adder, 'remote_remove', { server: remote.id })
    assert.equal((await acme.admin('GET', '/secrets')).items.length, 1) // which the copy needs
    await run(adder, 'remote_remove', { server: copy.id })
    assert.deepEqual((await acme.admin('GET', '/secrets')).items, [])
    await closed.close()
  })

  it('refresh a remote server, and say what is wrong with one that does not answer', async () => {
    const remote = await add({ name: 'Fresh' })
    await upstream.world.addTool('brand_new')
    const { remote: now } = await run(adder, 'remote_refresh', { server: remote.id })
    assert.equal(now.toolCount, remote.toolCount + 1)
    upstream.world.gate.outage = 503
    const error = await refused(adder, 'remote_refresh', { server: remote.id })
    assert.equal(error.code, 'upstream_failed')
    assert.match(error.message, /503/)
    const shown = await run(member, 'remote_show', { server: remote.id })
    assert.match(shown.remote.problem, /503/)
    upstream.world.gate.outage = undefined
    await run(adder, 'remote_remove', { server: remote.id })
  })

  it('give the tools of a remote server by pages', async () => {
    const { id: server, toolCount } = await add({ name: 'By pages' })
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await run(member, 'remote_show', { server, limit: 2, ...(cursor && { cursor }) })
      assert.ok(page.tools.length <= 2)
      names.push(...page.tools.map(({ name }: { name: string }) => name))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    assert.equal(new Set(names).size, toolCount)
    assert.equal(names.length, toolCount)
    const wrong = await refused(member, 'remote_show', { server, cursor: 'x' })
    assert.match(wrong.message, /^cursor /)
    await run(adder, 'remote_remove', { server })
  })

  it('list every server, by pages, with what it is here', async () => {
    const remote = await add({ name: 'Among others' })
    const { servers } = await run(agent, 'servers_list')
    const kinds = new Map(
      servers.map((each: { id: string; kind: string; capability: string; connector: boolean }) => [
        each.id,
        [each.kind, each.capability, each.connector],
      ]),
    )
    assert.equal(kinds.size, 4)
    assert.deepEqual(kinds.get(acme.servers.memory), ['hosted', 'memory', false])
    assert.deepEqual(kinds.get(acme.servers.notion), ['hosted', 'notion', true])
    assert.deepEqual(kinds.get(remote.id), ['remote', 'org__among-others', false])
    const first = await run(agent, 'servers_list', { limit: 3 })
    const rest = await run(agent, 'servers_list', { cursor: first.nextCursor })
    assert.deepEqual([...first.servers, ...rest.servers], servers)
    assert.equal(rest.nextCursor, undefined)
    await run(adder, 'remote_remove', { server: remote.id })
  })

  it('pause, resume and reorder tools of hosted and remote servers', async () => {
    const { memory } = acme.servers
    await acme.admin('POST', `/servers/${memory}/tools`, tool('forget'))
    await untilListed(rollcall, member.key, ['memory__search', 'memory__forget'])
    const order = await run(admin, 'tools_reorder', { server: memory, names: ['forget'] })
    assert.deepEqual(order.names, ['forget', 'search'])
    await untilListed(rollcall, member.key, ['memory__forget', 'memory__search'])
    const paused = await run(admin, 'tools_pause', { server: memory, tool: 'forget' })
    assert.deepEqual(paused, { server: memory, tool: 'forget', status: 'paused' })
    await untilListed(rollcall, member.key, ['memory__search'])
    const { error } = await callTool(rollcall, member.key, 'memory__forget')
    assert.equal(error.message, 'Tool not found: memory__forget')
    await run(admin, 'tools_resume', { server: memory, tool: 'forget' })
    await untilListed(rollcall, member.key, ['memory__forget', 'memory__search'])

    const remote = await add({ name: 'Ordered' })
    await run(admin, 'tools_reorder', { server: remote.id, names: ['echo'] })
    await run(admin, 'tools_pause', { server: remote.id, tool: 'echo' })
    await run(adder, 'remote_refresh', { server: remote.id }) // which changes none of it
    const { tools } = await run(member, 'remote_show', { server: remote.id })
    assert.deepEqual([tools[0].name, tools[0].status], ['echo', 'paused'])
    await run(adder, 'remote_remove', { server: remote.id })
  })
})
