/** Who may read and write server configurations, and see that they are there (E2–E13). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOrganization, inOrganization } from '../support/admin.ts'
import { MADE_UP, SERVERS, useConfiguring } from '../support/configurations.ts'
import { convaiOf, memberKey } from '../support/convai.ts'
import { REMOTE_URL } from '../support/remotes.ts'

const world = useConfiguring()
const { servers, create } = world

describe('a server configuration', () => {
  it('of another organization is answered like one that is made up', async () => {
    await createOrganization(world.rollcall, 'elsewhere')
    const { secret } = await memberKey(world.rollcall, {}, inOrganization('elsewhere'))
    const other = convaiOf(world.rollcall, secret)
    const { id } = await create()
    const tool = `${SERVERS}/${id}/tool-configs/a`
    const asking: [method: string, path: string, body?: object][] = [
      ['GET', `${SERVERS}/${id}`],
      ['PATCH', `${SERVERS}/${id}`, {}],
      ['DELETE', `${SERVERS}/${id}`],
      ['PATCH', `${SERVERS}/${id}/approval-policy`, { approval_policy: 'auto_approve_all' }],
      ['POST', `${SERVERS}/${id}/tool-configs`, { tool_name: 'a' }],
      ['GET', tool],
      ['PATCH', tool, {}],
      ['DELETE', tool],
    ]
    for (const [method, path, body] of asking) {
      const theirs = await other.ask(method, path, body)
      const madeUp = await world.convai.ask(method, path.replace(id, MADE_UP), body)
      const told = [theirs, madeUp].map(({ status, text, json }) => {
        assert.equal(status, 404, text)
        const { request_id: _, ...detail } = json.detail
        return JSON.stringify(detail).replace(id, MADE_UP)
      })
      assert.equal(told[0], told[1], `${method} ${path}`)
      assert.equal(theirs.json.detail.code, 'mcp_server_not_found')
    }
    assert.deepEqual((await other.sdk.conversationalAi.mcpServers.list()).mcpServers, [])
    assert.equal((await servers().get(id)).id, id)
  })

  it('is read by every member, and written by those with the permission', async () => {
    const { id } = await create()
    const { secret } = await memberKey(world.rollcall, { role: 'member' })
    const member = convaiOf(world.rollcall, secret)
    assert.equal((await member.ask('GET', `${SERVERS}/${id}`)).status, 200)
    const writes: [method: string, path: string, body?: object][] = [
      ['POST', SERVERS, { config: { url: REMOTE_URL, name: 'A' } }],
      ['PATCH', `${SERVERS}/${id}`, {}],
      ['DELETE', `${SERVERS}/${id}`],
      ['POST', `${SERVERS}/${id}/tool-configs`, { tool_name: 'a' }],
    ]
    for (const [method, path, body] of writes) {
      const { status, json } = await member.ask(method, path, body)
      assert.deepEqual([status, json.detail.status], [401, 'missing_permissions'], path)
    }
  })

  it('has secrets sent by admins alone, as who names its URL would be told them', async () => {
    const { secret, principal } = await memberKey(world.rollcall, { role: 'member' })
    const permissions = { permissions: ['connections:org'] }
    const permitted = await world.rollcall.admin('PATCH', `/members/${principal}`, permissions)
    assert.equal(permitted.status, 200, permitted.text)
    const member = convaiOf(world.rollcall, secret)
    const config = { url: REMOTE_URL, name: 'Mine' }
    const { status, json } = await member.ask('POST', SERVERS, { config })
    assert.equal(status, 200)
    const named: object[] = [
      { secret_token: { secret_id: 'secret_a' } },
      { auth_connection: { auth_connection_id: 'ac_00000000000000000000' } },
      { auth_connection: { env_var_label: 'any' } },
      { request_headers: { 'X-A': { secret_id: 'secret_a' } } },
      { request_meta: { a: { env_var_label: 'any' } } },
    ]
    for (const members of [...named, { url: { secret_id: 'secret_a' } }]) {
      const made = await member.ask('POST', SERVERS, { config: { ...config, ...members } })
      assert.deepEqual([made.status, made.json.detail.status], [401, 'missing_permissions'])
    }
    for (const members of named) {
      const changed = await member.ask('PATCH', `${SERVERS}/${json.id}`, members)
      assert.deepEqual([changed.status, changed.json.detail.status], [401, 'missing_permissions'])
    }
    // Nor does one say what a tool is called with, which may bound what members can do by it.
    const path = `${SERVERS}/${json.id}/tool-configs`
    const said = await member.ask('POST', path, { tool_name: 'a' })
    assert.deepEqual([said.status, said.json.detail.status], [401, 'missing_permissions'])
  })
})
