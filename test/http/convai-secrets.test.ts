import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createServer } from '../support/admin.ts'
import { convaiOf, memberKey, type Convai } from '../support/convai.ts'
import { remoteFile, REMOTE_URL } from '../support/remotes.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { dumpDatabase, dumpKv } from '../support/storage.ts'

const PATH = '/v1/convai/secrets'
const VALUE = 'hush-hush-sweet-secret'

describe('Secrets on convai', () => {
  let rollcall: Rollcall
  let convai: Convai
  before(async () => {
    rollcall = await startRollcall()
    convai = convaiOf(rollcall, (await memberKey(rollcall)).secret)
  })
  after(() => rollcall.close())

  const secrets = () => convai.sdk.conversationalAi.secrets
  const remote = (name: string, headers: object) =>
    createServer(
      rollcall,
      remoteFile(name, { hosted: false, remote: { url: REMOTE_URL, headers } }),
    )

  it('stores a secret, and never answers its value', async () => {
    const made = await secrets().create({ name: 'GitHub token', value: VALUE })
    assert.equal(made.type, 'stored')
    assert.match(made.secretId, /^secret_[0-9a-f]{20}$/)
    assert.equal(made.name, 'GitHub token')
    const { text, json } = await convai.ask('GET', `${PATH}/${made.secretId}`)
    assert.deepEqual(json, {
      type: 'stored',
      secret_id: made.secretId,
      name: 'GitHub token',
      used_by: {
        tools: [],
        tools_has_more: false,
        agents: [],
        agents_has_more: false,
        phone_numbers: [],
        phone_numbers_has_more: false,
        mcp_servers: [],
        others: [],
      },
    })
    assert.ok(!text.includes(VALUE))
    assert.ok(!(await dumpDatabase(rollcall)).includes(VALUE))
    assert.ok(!JSON.stringify([...(await dumpKv(rollcall))]).includes(VALUE))
  })

  it('gives a secret another name and value under the same id', async () => {
    const { secretId } = await secrets().create({ name: 'before', value: VALUE })
    const updated = await secrets().update(secretId, { name: 'after', value: 'another' })
    assert.deepEqual({ ...updated }, { type: 'stored', secretId, name: 'after' })
    assert.equal((await secrets().get(secretId)).name, 'after')
  })

  it('tells which configurations use a secret, and keeps one that is used', async () => {
    const { secretId } = await secrets().create({ name: 'used', value: VALUE })
    const { configuration } = await remote('User', { 'X-Token': { secret: secretId } })
    const { usedBy } = await secrets().get(secretId)
    const [server, ...others] = usedBy.mcpServers ?? []
    assert.deepEqual(others, [])
    assert.ok(server?.type === 'available')
    assert.deepEqual([server.id, server.name, server.accessLevel], [configuration, 'User', 'admin'])
    const { status, json } = await convai.ask('DELETE', `${PATH}/${secretId}`)
    assert.equal(status, 409)
    assert.equal(json.detail.code, 'secret_in_use')
    assert.match(json.detail.message, /the server "User"/)
  })

  it('finds the users of a secret behind variables and connections', async () => {
    const { secretId } = await secrets().create({ name: 'behind', value: VALUE })
    await convai.sdk.environmentVariables.create({
      type: 'secret',
      label: 'behind',
      values: { production: { secretId } },
    })
    await remote('Behind', { 'X-Token': { variable: 'behind' } })
    const { usedBy } = await secrets().get(secretId)
    assert.deepEqual(
      usedBy.mcpServers?.map((server) => server.type === 'available' && server.name),
      ['Behind'],
    )
    const { status, json } = await convai.ask('DELETE', `${PATH}/${secretId}`)
    assert.equal(status, 409)
    assert.match(json.detail.message, /the server "Behind", the variable "behind"/)
  })

  it('keeps a secret that a tool of a server uses', async () => {
    const { secretId } = await secrets().create({ name: 'tool', value: VALUE })
    await createServer(rollcall, {
      name: 'Tools',
      auth: 'key',
      tools: [
        {
          name: 'a',
          inputSchema: { type: 'object' },
          handler: {
            kind: 'http',
            method: 'GET',
            url: 'https://example.com/',
            auth: { type: 'bearer', token: { secret: secretId } },
          },
        },
      ],
    })
    const { status, json } = await convai.ask('DELETE', `${PATH}/${secretId}`)
    assert.equal(status, 409)
    assert.match(json.detail.message, /the server "Tools"/)
  })

  it('deletes a secret that nothing uses', async () => {
    const { secretId } = await secrets().create({ name: 'unused', value: VALUE })
    await secrets().delete(secretId)
    for (const method of ['GET', 'DELETE'] as const) {
      const { status, json } = await convai.ask(method, `${PATH}/${secretId}`)
      assert.equal(status, 404)
      assert.equal(json.detail.code, 'secret_not_found')
    }
  })

  it('lists all secrets, those of admins by their names too, in pages or by the beginning', async () => {
    await rollcall.admin('PUT', '/secrets/ADMIN_MADE', { value: VALUE })
    const all = (await secrets().list()).secrets
    assert.ok(all.some(({ secretId, name }) => secretId === 'ADMIN_MADE' && name === 'ADMIN_MADE'))
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const page = await secrets().list({ pageSize: 2, ...(cursor !== undefined && { cursor }) })
      paged.push(...page.secrets.map(({ secretId }) => secretId))
      cursor = page.nextCursor
    } while (cursor)
    assert.deepEqual(
      paged,
      all.map(({ secretId }) => secretId),
    )
    const found = await secrets().list({ search: 'GitHub' })
    assert.deepEqual(
      found.secrets.map(({ name }) => name),
      ['GitHub token'],
    )
    const { json } = await rollcall.admin('GET', '/secrets')
    assert.ok(json.items.some(({ label }: { label: string }) => label === 'GitHub token'))
  })

  it('knows of no tools, agents or phone numbers that use one', async () => {
    const { secretId } = await secrets().create({ name: 'lonely', value: VALUE })
    for (const type of ['tools', 'agents', 'phone_numbers'] as const) {
      const { dependencies } = await secrets().getDependencies(secretId, type)
      assert.deepEqual(dependencies, [])
    }
    const { status, json } = await convai.ask('GET', `${PATH}/${secretId}/dependencies/cats`)
    assert.deepEqual([status, json.detail[0].loc], [422, ['path', 'resource_type']])
    assert.equal((await convai.ask('GET', `${PATH}/none/dependencies/tools`)).status, 404)
  })

  it('names what is wrong', async () => {
    const wrong = async (body: object) => {
      const { status, json } = await convai.ask('POST', PATH, body)
      assert.equal(status, 422)
      return json.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'))
    }
    assert.deepEqual(await wrong({}), ['body.name', 'body.value'])
    assert.deepEqual(await wrong({ type: 'old', name: '', value: 7 }), [
      'body.type',
      'body.name',
      'body.value',
    ])
    assert.deepEqual(await wrong({ name: 'n', value: 'v'.repeat(64 * 1024 + 1) }), ['body.value'])
  })

  it('is for admins alone', async () => {
    const { secret } = await memberKey(rollcall, { role: 'member' })
    const { status, json } = await convaiOf(rollcall, secret).ask('GET', PATH)
    assert.deepEqual([status, json.detail.status], [401, 'missing_permissions'])
  })
})
