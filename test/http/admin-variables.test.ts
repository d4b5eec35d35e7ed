import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { allItems, createServer, refusal, wrongFields } from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { sendError, startRemote, type Remote } from '../support/remote-mcp.ts'
import { inDatabase } from '../support/storage.ts'

const SECRET = 'hush-hush-sweet-secret'

describe('Variables and auth connections in the admin API', () => {
  let relay: Relay
  let remote: Remote
  before(async () => {
    relay = await startRelay()
    remote = await startRemote({
      'server/discover': (seen, response) =>
        sendError(seen, response, { code: -32601, message: '' }),
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'far', version: '1' },
      },
      'tools/list': { tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
    })
  })
  after(async () => {
    await relay.close()
    await remote.close()
  })

  const admin = (method: string, path: string, body?: unknown) =>
    relay.rollcall.admin(method, path, body)
  const made = async (path: string, body: object) => {
    const answer = await admin('POST', path, body)
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.headers.get('location'), `/api/v1${path}/${answer.json.id}`)
    assert.ok(!answer.text.includes(SECRET))
    return answer.json
  }
  const variable = (label: string, values: object = { production: 'x' }, type = 'string') =>
    made('/variables', { label, type, values })
  const bearer = (name: string, token: object = { value: SECRET }) =>
    made('/connections', { name, auth: { type: 'bearer', token } })
  const serverOf = (name: string, members: object) =>
    createServer(relay.rollcall, { name, kind: 'remote', remote: { url: remote.url, ...members } })
  const ownSecrets = async (id: string) => {
    const query = `SELECT name FROM secrets WHERE connection = '${id}'`
    return (await inDatabase(relay.rollcall, query)).map(({ name }) => name)
  }

  it('makes, reads, changes and deletes a variable', async () => {
    const record = await variable('host', { production: 'api', staging: 'stg' })
    assert.match(record.id, /^envvar_/)
    const path = `/variables/${record.id}`
    assert.deepEqual((await admin('GET', path)).json, record)
    const patched = await admin('PATCH', path, { values: { staging: null, test: 't' } })
    assert.deepEqual(patched.json.values, { production: 'api', test: 't' })
    assert.deepEqual(wrongFields(await admin('PATCH', path, { values: { production: null } })), [
      'values.production',
    ])
    assert.equal((await admin('DELETE', path)).status, 204)
    assert.deepEqual(refusal(await admin('GET', path)), {
      status: 404,
      code: 'variable_not_found',
    })
  })

  it('lists variables in pages and by filters', async () => {
    await variable('b', { production: 'x', staging: 'y' })
    await variable('a')
    const labels = (items: { label: string }[]) => items.map(({ label }) => label)
    assert.deepEqual(labels(await allItems(relay.rollcall, '/variables', 1)), ['a', 'b'])
    const { json } = await admin('GET', '/variables?environment=staging&type=string')
    assert.deepEqual(
      json.items.map(({ label, values }: { label: string; values: object }) => [label, values]),
      [['b', { staging: 'y' }]],
    )
    assert.deepEqual(wrongFields(await admin('GET', '/variables?type=map')), ['type'])
  })

  it('names what is wrong with a variable', async () => {
    const body = { label: 'a b', type: 'string', values: { 'c d': 7 } }
    assert.deepEqual(wrongFields(await admin('POST', '/variables', body)), [
      'label',
      'values.c d',
      'values.production',
    ])
    const nothing = { label: 'l', type: 'secret', values: { production: { secret: 'none' } } }
    assert.deepEqual(wrongFields(await admin('POST', '/variables', nothing)), ['values.production'])
    const taken = { label: 'a', type: 'string', values: { production: 'x' } }
    assert.deepEqual(refusal(await admin('POST', '/variables', taken)), {
      status: 409,
      code: 'variable_label_taken',
    })
  })

  it('keeps a variable that a remote server uses, and names the server', async () => {
    const { id } = await variable('used')
    const server = await serverOf('Uses it', { headers: { 'X-Used': { variable: 'used' } } })
    const { json } = await admin('GET', `/variables/${id}`)
    assert.deepEqual(json.usedBy, [{ server: server.id, name: 'Uses it' }])
    const refused = await admin('DELETE', `/variables/${id}`)
    assert.deepEqual(refusal(refused), { status: 409, code: 'variable_in_use' })
    assert.match(refused.json.error.message, /the server "Uses it"/)
  })

  it('seals what a connection authorizes by, and answers it by name', async () => {
    const { id, auth } = await bearer('GitHub')
    assert.deepEqual(auth, { type: 'bearer', token: { secret: `${id}.token` } })
    const path = `/connections/${id}`
    const named = await admin('PATCH', path, { name: 'GitHub 2', auth })
    assert.equal(named.json.name, 'GitHub 2')
    assert.deepEqual(await ownSecrets(id), [`${id}.token`])
    const other = {
      type: 'oauth2',
      tokenUrl: 'https://idp.example.com/token',
      clientId: 'c',
      clientSecret: { value: SECRET },
      headers: { 'X-Api-Key': { value: SECRET } },
    }
    const changed = await admin('PATCH', path, { auth: other })
    assert.ok(!changed.text.includes(SECRET))
    const { secret } = changed.json.auth.headers['X-Api-Key']
    assert.deepEqual(new Set(await ownSecrets(id)), new Set([secret, `${id}.clientSecret`]))
  })

  it('authorizes by secrets of the organization, too, which are kept apart', async () => {
    assert.equal((await admin('PUT', '/secrets/SHARED', { value: SECRET })).status, 201)
    const { id } = await bearer('Shared', { secret: 'SHARED' })
    assert.deepEqual(await ownSecrets(id), [])
    assert.equal((await admin('DELETE', `/connections/${id}`)).status, 204)
    assert.equal((await admin('DELETE', '/secrets/SHARED')).status, 204)
    const auth = { type: 'bearer', token: { secret: 'SHARED' } }
    const gone = await admin('POST', '/connections', { name: 'n', auth })
    assert.deepEqual(wrongFields(gone), ['auth'])
  })

  it('names what is wrong with a connection', async () => {
    const wrong = async (auth: object) =>
      wrongFields(await admin('POST', '/connections', { name: 'n', auth }))
    assert.deepEqual(await wrong({ type: 'none' }), ['auth'])
    assert.deepEqual(await wrong({ type: 'bearer', token: SECRET }), ['auth.token'])
    assert.deepEqual(await wrong({ type: 'bearer', token: { account: 'token' } }), ['auth.token'])
    assert.deepEqual(await wrong({ type: 'header', name: 'Host', value: { value: SECRET } }), [
      'auth.name',
    ])
  })

  it('reaches a remote server by a connection, and by what it becomes', async () => {
    const { id } = await bearer('Reaching')
    await variable('via', { production: { connection: id } }, 'connection')
    const auth = { type: 'connection', connection: { variable: 'via' } }
    await serverOf('Reached', { auth })
    const sent = (token: string) => () =>
      remote.requests.filter(({ headers }) => headers.authorization === `Bearer ${token}`)
    const isAny = (requests: readonly unknown[]) => requests.length > 0
    await eventually(async () => sent(SECRET)(), isAny)
    const { status } = await admin('PATCH', `/connections/${id}`, {
      auth: { type: 'bearer', token: { value: 'another-token' } },
    })
    assert.equal(status, 200)
    await eventually(async () => sent('another-token')(), isAny)
    assert.deepEqual(refusal(await admin('DELETE', `/connections/${id}`)), {
      status: 409,
      code: 'connection_in_use',
    })
  })
})
