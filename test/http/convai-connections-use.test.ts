import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createServer } from '../support/admin.ts'
import { CONNECTIONS, SECRET, useConnections } from '../support/auth-connections.ts'
import { convaiOf, memberKey } from '../support/convai.ts'
import { remoteFile, REMOTE_URL } from '../support/remotes.ts'
import { startRollcall } from '../support/rollcall.ts'

describe('Auth connections on convai', () => {
  const world = useConnections()
  const { connections, bearer, wrong } = world

  it('keeps one that is used, and tells by whom', async () => {
    const { id } = await bearer('used')
    await world.convai.sdk.environmentVariables.create({
      type: 'auth_connection',
      label: 'auth',
      values: { production: { authConnectionId: id } },
    })
    const auth = { type: 'connection', connection: { variable: 'auth' } }
    const file = remoteFile('User', { hosted: false, remote: { url: REMOTE_URL, auth } })
    const { configuration } = await createServer(world.rollcall, file)
    const { authConnections } = await connections().list()
    const [server] = authConnections.find((one) => one.id === id)?.usedBy?.mcpServers ?? []
    assert.equal(server?.id, configuration)
    const { status, json } = await world.convai.ask('DELETE', `${CONNECTIONS}/${id}`)
    assert.equal(status, 409)
    assert.equal(json.detail.code, 'connection_in_use')
    assert.match(json.detail.message, /the server "User", the variable "auth"/)
  })

  it('keeps the secrets of connections out of the lists of secrets', async () => {
    const { id } = await bearer('hidden')
    const name = `${id}.token`
    assert.ok(!(await world.convai.ask('GET', '/v1/convai/secrets')).text.includes(id))
    assert.ok(!(await world.rollcall.admin('GET', '/secrets?limit=1000')).text.includes(id))
    assert.equal((await world.convai.ask('GET', `/v1/convai/secrets/${name}`)).status, 404)
    assert.equal((await world.rollcall.admin('DELETE', `/secrets/${name}`)).status, 404)
    const put = await world.rollcall.admin('PUT', `/secrets/${name}`, { value: 'mine' })
    assert.equal(put.status, 422)
    const variable = {
      type: 'secret',
      label: 'l',
      values: { production: { secret_id: name } },
    }
    assert.deepEqual(await wrong(variable, 'POST', '/v1/convai/environment-variables'), [
      'body.values.production',
    ])
  })

  it('lets members read, and admins alone write', async () => {
    const { secret } = await memberKey(world.rollcall, { role: 'member' })
    const member = convaiOf(world.rollcall, secret)
    assert.ok((await member.sdk.workspace.authConnections.list()).authConnections.length > 0)
    const { status, json } = await member.ask('DELETE', `${CONNECTIONS}/ac_${'0'.repeat(20)}`)
    assert.deepEqual([status, json.detail.status], [401, 'missing_permissions'])
  })

  it('sends secrets over https alone, but for development', async () => {
    const body = {
      auth_type: 'oauth2_client_credentials',
      name: 'n',
      provider: 'p',
      client_id: 'c',
      token_url: 'http://127.0.0.1:9/token',
      client_secret: SECRET,
    }
    assert.equal((await world.convai.ask('POST', CONNECTIONS, body)).status, 200)
    const deployed = await startRollcall({ vars: { DEVELOPMENT: '' } })
    try {
      const { secret } = await memberKey(deployed)
      const { status, json } = await convaiOf(deployed, secret).ask('POST', CONNECTIONS, body)
      assert.deepEqual([status, json.detail[0].loc], [422, ['body', 'token_url']])
    } finally {
      await deployed.close()
    }
  })
})
