import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CONNECTIONS, SECRET, useConnections } from '../support/auth-connections.ts'
import { dumpDatabase, dumpKv, inDatabase } from '../support/storage.ts'

const JWT = { issuer: 'iss', audience: 'aud', subject: 'sub', secretKey: SECRET }

describe('Auth connections on convai', () => {
  const world = useConnections()
  const { connections, bearer, wrong } = world
  const storedAuth = async (id: string) => {
    const [row] = await inDatabase(
      world.rollcall,
      `SELECT auth FROM connections WHERE id = '${id}'`,
    )
    return JSON.parse(String(row?.['auth']))
  }
  const ownSecrets = async (id: string) => {
    const query = `SELECT name FROM secrets WHERE connection = '${id}' ORDER BY name`
    return (await inDatabase(world.rollcall, query)).map(({ name }) =>
      String(name).slice(id.length + 1),
    )
  }

  it('makes one of every kind with its defaults, and answers no secret', async () => {
    const named = { name: 'n', provider: 'p' }
    const url = 'https://idp.example.com/token'
    const common = {
      used_by: { tools: [], mcp_servers: [], integration_connections: [] },
      status: 'active',
      status_detail: null,
      status_updated_at: null,
    }
    const jwt = { algorithm: 'HS256', key_id: null, expiration_seconds: 3600, extra_params: {} }
    const rows: [given: Record<string, unknown>, answered: Record<string, unknown>][] = [
      [{ auth_type: 'bearer_auth', token: SECRET }, {}],
      [{ auth_type: 'custom_header_auth', header_name: 'X-Api-Key', token: SECRET }, {}],
      [{ auth_type: 'basic_auth', username: 'u', password: SECRET }, {}],
      [
        {
          auth_type: 'oauth2_client_credentials',
          client_id: 'c',
          token_url: url,
          client_secret: SECRET,
        },
        { scopes: [], extra_params: {}, basic_auth_in_header: false, custom_headers: {} },
      ],
      [
        {
          auth_type: 'oauth2_jwt',
          issuer: 'i',
          audience: 'a',
          subject: 's',
          token_url: url,
          secret_key: SECRET,
        },
        { ...jwt, scopes: [], token_response_field: 'access_token' },
      ],
      [
        {
          auth_type: 'private_key_jwt',
          issuer: 'i',
          audience: 'a',
          subject: 's',
          secret_key: SECRET,
        },
        jwt,
      ],
    ]
    for (const [given, answered] of rows) {
      const { status, text, json } = await world.convai.ask('POST', CONNECTIONS, {
        ...named,
        ...given,
      })
      assert.equal(status, 200, text)
      assert.match(json.id, /^ac_[0-9a-f]{20}$/)
      const open = Object.entries(given).filter(([, value]) => value !== SECRET)
      assert.deepEqual(json, {
        ...named,
        ...Object.fromEntries(open),
        ...answered,
        ...common,
        id: json.id,
      })
      assert.equal((await ownSecrets(json.id)).length, 1)
    }
    const { authConnections } = await connections().list()
    assert.deepEqual(
      new Set(authConnections.map(({ authType }) => authType)),
      new Set(rows.map(([{ auth_type: type }]) => type)),
    )
    assert.ok(!(await dumpDatabase(world.rollcall)).includes(SECRET))
    assert.ok(!JSON.stringify([...(await dumpKv(world.rollcall))]).includes(SECRET))
    assert.ok(!(await world.rollcall.admin('GET', '/audit')).text.includes(SECRET))
  })

  it('keeps all that is said of client credentials, a header that is one sealed', async () => {
    const made = await connections().create({
      authType: 'oauth2_client_credentials',
      name: 'n',
      provider: 'p',
      clientId: 'c',
      tokenUrl: 'https://idp.example.com/token',
      clientSecret: SECRET,
      scopes: ['read', 'write'],
      extraParams: { audience: 'them', secret: 'no reference' },
      basicAuthInHeader: true,
      customHeaders: { 'X-Tenant': 't', 'X-Api-Key': SECRET },
    })
    assert.ok(made.authType === 'oauth2_client_credentials')
    assert.deepEqual(made.scopes, ['read', 'write'])
    assert.deepEqual(made.extraParams, { audience: 'them', secret: 'no reference' })
    assert.equal(made.basicAuthInHeader, true)
    assert.deepEqual(made.customHeaders, { 'X-Tenant': 't' })
    const own = await ownSecrets(made.id)
    assert.deepEqual(
      own.map((field) => field.replace(/_.*/, '')),
      ['clientSecret', 'header'],
    )
    const updated = await connections().update(made.id, {
      authType: 'oauth2_client_credentials',
      scopes: [],
      customHeaders: { 'X-Other': 'o' },
    })
    assert.ok(updated.authType === 'oauth2_client_credentials')
    assert.deepEqual(updated.scopes, [])
    assert.deepEqual(updated.customHeaders, { 'X-Other': 'o' })
    assert.deepEqual(await ownSecrets(made.id), own)
    const auth = await storedAuth(made.id)
    assert.deepEqual(auth.headers['X-Api-Key'], { secret: `${made.id}.${own[1]}` })
    assert.equal(auth.scope, undefined)
  })

  it('changes what is said, and keeps the rest', async () => {
    const made = await connections().create({
      authType: 'oauth2_jwt',
      name: 'n',
      provider: 'p',
      ...JWT,
      algorithm: 'RS256',
      keyId: 'k1',
      expirationSeconds: 60,
      extraParams: { tenant: 't' },
      tokenUrl: 'https://idp.example.com/token',
      scopes: ['a'],
      tokenResponseField: 'id_token',
    })
    const updated = await connections().update(made.id, {
      authType: 'oauth2_jwt',
      provider: 'q',
      keyId: 'k2',
      secretKey: 'another-secret',
    })
    assert.deepEqual(
      { ...updated },
      { ...made, provider: 'q', keyId: 'k2', statusUpdatedAt: updated.statusUpdatedAt },
    )
    assert.ok(Date.parse(updated.statusUpdatedAt ?? '') > Date.now() - 60_000)
    assert.deepEqual(await ownSecrets(made.id), ['key'])
  })

  it('refuses an update for another kind of connection', async () => {
    const { id } = await bearer('typed')
    const update = { auth_type: 'basic_auth', password: SECRET }
    assert.deepEqual(await wrong(update, 'PATCH', `${CONNECTIONS}/${id}`), ['body.auth_type'])
  })

  it('refuses mTLS, and says why', async () => {
    const body = {
      auth_type: 'mtls',
      name: 'n',
      provider: 'p',
      client_certificate: 'c',
      client_key: SECRET,
    }
    const { status, json } = await world.convai.ask('POST', CONNECTIONS, body)
    assert.equal(status, 422)
    assert.deepEqual(json.detail[0].loc, ['body', 'auth_type'])
    assert.match(json.detail[0].msg, /certificate/)
  })

  it('names every wrong field at once', async () => {
    assert.deepEqual(await wrong({ name: 'n' }), ['body'])
    assert.deepEqual(await wrong({ auth_type: 'cookie', name: 'n' }), ['body'])
    assert.deepEqual(await wrong({ auth_type: 'bearer_auth' }), [
      'body.name',
      'body.provider',
      'body.token',
    ])
    const oauth = {
      auth_type: 'oauth2_client_credentials',
      name: 'n',
      provider: 'p',
      client_id: 'c',
      token_url: 'ftp://nowhere',
      client_secret: SECRET,
      scopes: ['a', 7],
      extra_params: { a: 1 },
      basic_auth_in_header: 'yes',
      custom_headers: { Host: 'x' },
    }
    assert.deepEqual(await wrong(oauth), [
      'body.token_url',
      'body.scopes.1',
      'body.extra_params.a',
      'body.basic_auth_in_header',
      'body.custom_headers.Host',
    ])
    const jwt = { issuer: 'i', audience: 'a', subject: 's', secret_key: SECRET }
    assert.deepEqual(
      await wrong({
        auth_type: 'private_key_jwt',
        name: 'n',
        provider: 'p',
        ...jwt,
        algorithm: 'none',
        expiration_seconds: 5,
      }),
      ['body.algorithm', 'body.expiration_seconds'],
    )
  })

  it('deletes one with its secrets', async () => {
    const { id } = await bearer('gone')
    await connections().delete(id)
    assert.deepEqual(await ownSecrets(id), [])
    for (const [method, body] of [['DELETE'], ['PATCH', {}]] as const) {
      const { status, json } = await world.convai.ask(method, `${CONNECTIONS}/${id}`, body)
      assert.deepEqual([status, json.detail.code], [404, 'connection_not_found'])
    }
  })
})
