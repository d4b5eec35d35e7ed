/** One remote server, by whichever surface it is changed (`surfaces.md` D17). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BOTH, onlyEvent } from '../support/acme.ts'
import { createServer } from '../support/admin.ts'
import { serverOf, useConfiguring } from '../support/configurations.ts'
import { eventually } from '../support/eventually.ts'
import { LIST } from '../support/messages.ts'
import { applySnapshot, remoteFile, REMOTE_URL, remoteTool, snapshot } from '../support/remotes.ts'
import { serverFile } from '../support/servers.ts'

const world = useConfiguring()
const { servers, create } = world

describe('one remote server', () => {
  it('is shown on convai when an operator made it, and tells what it became by the admin API', async () => {
    const made = await createServer(world.rollcall, remoteFile('By hand', { auth: 'key' }))
    assert.match(made.configuration, /^mcps_/)
    const { config } = await servers().get(made.configuration)
    assert.equal(config.approvalPolicy, 'auto_approve_all')
    assert.equal(config.transport, 'STREAMABLE_HTTP')
    await world.rollcall.admin('PATCH', `/servers/${made.id}`, {
      name: 'Renamed',
      approvalPolicy: 'require_approval_all',
      remote: { url: REMOTE_URL, headers: { 'X-A': { secret: 'secret_a' } }, timeoutSeconds: 12 },
      overrides: { a: { inputs: { '/x': { omit: true } } } },
    })
    const { name, approvalPolicy, requestHeaders, responseTimeoutSecs, toolConfigOverrides } = (
      await servers().get(made.configuration)
    ).config
    assert.deepEqual(
      { name, approvalPolicy, requestHeaders, responseTimeoutSecs },
      {
        name: 'Renamed',
        approvalPolicy: 'require_approval_all',
        requestHeaders: { 'X-A': { secretId: 'secret_a' } },
        responseTimeoutSecs: 12,
      },
    )
    assert.deepEqual(toolConfigOverrides?.[0]?.inputOverrides, { '$.x': { source: 'omit' } })
    const hosted = await createServer(world.rollcall, serverFile('Hosted', []))
    assert.equal('configuration' in hosted, false)
  })

  it('is changed for the admin API by what convai says of it', async () => {
    const made = await create({ requestHeaders: { 'X-A': 'a' } })
    const { remote, approvalPolicy, slug } = await serverOf(world.rollcall, made)
    assert.deepEqual([remote.transport, approvalPolicy], ['sse', 'require_approval_all'])
    assert.match(slug, /^far(?:-\d+)?$/)
    await servers().update(made.id, {
      secretToken: { secretId: 'secret_b' },
      responseTimeoutSecs: 45,
      disableCompression: true,
    })
    const { remote: changed } = await serverOf(world.rollcall, made)
    assert.deepEqual(changed, {
      ...remote,
      auth: { type: 'header', name: 'Authorization', value: { secret: 'secret_b' } },
      timeoutSeconds: 45,
      compression: false,
    })
    const { json } = await world.rollcall.admin('GET', '/audit?limit=5')
    assert.ok(json.items.some(({ act }: { act: string }) => act === 'servers.patch'))
  })

  it('has tools on the gateway by its slug, once an operator says so', async () => {
    const made = await create({ name: 'Three faces', approvalPolicy: 'auto_approve_all' })
    const { id, slug, ...settings } = await serverOf(world.rollcall, made)
    assert.equal('gateway' in settings, false)
    await applySnapshot(world.rollcall, id, snapshot([remoteTool('search'), remoteTool('write')]))
    const listed = async () => {
      const headers = { authorization: `Bearer ${world.convai.key}`, accept: BOTH }
      const { tools } = onlyEvent(await world.rollcall.post('/mcp', LIST, headers)).result
      return tools
        .map(({ name }: { name: string }) => name)
        .filter((name: string) => name.startsWith(`org__${slug}__`))
    }
    await world.rollcall.admin('PATCH', `/servers/${id}`, { gateway: true })
    const names = await eventually(listed, (all) => all.length > 0)
    assert.deepEqual(names, [`org__${slug}__search`, `org__${slug}__write`])
    await world.rollcall.admin('PATCH', `/servers/${id}`, { hosted: true, auth: 'key' })
    assert.equal((await servers().get(made.id)).id, made.id)
    assert.equal((await serverOf(world.rollcall, made)).configuration, made.id)
  })
})
