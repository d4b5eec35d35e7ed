import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { BadRequestError } from '@elevenlabs/elevenlabs-js/api/errors/BadRequestError.js'
import { ConflictError } from '@elevenlabs/elevenlabs-js/api/errors/ConflictError.js'
import { NotFoundError } from '@elevenlabs/elevenlabs-js/api/errors/NotFoundError.js'
import { UnprocessableEntityError } from '@elevenlabs/elevenlabs-js/api/errors/UnprocessableEntityError.js'
import { createOrganization, inOrganization } from '../support/admin.ts'
import { convaiOf, memberKey, type Convai } from '../support/convai.ts'
import { assertSchema, ENVIRONMENT_VARIABLE } from '../support/convai-schemas.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

const PATH = '/v1/convai/environment-variables'

describe('Environment variables on convai', () => {
  let rollcall: Rollcall
  let convai: Convai
  let principal: string
  before(async () => {
    rollcall = await startRollcall()
    const key = await memberKey(rollcall)
    principal = key.principal
    convai = convaiOf(rollcall, key.secret)
  })
  after(() => rollcall.close())

  const create = (label: string, values: Record<string, string>) =>
    convai.sdk.environmentVariables.create({ type: 'string', label, values })
  const wrong = async (body: unknown, method = 'POST', path = PATH) => {
    const { status, text, json } = await convai.ask(method, path, body)
    assert.equal(status, 422, text)
    return json.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'))
  }

  it('makes a variable of each type, and gives it back', async () => {
    const { secretId } = await convai.sdk.conversationalAi.secrets.create({ name: 's', value: 'v' })
    const connection = await convai.sdk.workspace.authConnections.create({
      authType: 'bearer_auth',
      name: 'c',
      provider: 'p',
      token: 't',
    })
    const values = { production: 'api', staging: 'stg', 'dev-1': 'x' }
    const text = await create('mcp_host', values)
    const sealed = await convai.sdk.environmentVariables.create({
      type: 'secret',
      label: 'token',
      values: { production: { secretId } },
    })
    const authorized = await convai.sdk.environmentVariables.create({
      type: 'auth_connection',
      label: 'auth',
      values: { production: { authConnectionId: connection.id } },
    })
    assert.deepEqual(text.values, values)
    assert.deepEqual(sealed.values, { production: { secretId } })
    assert.deepEqual(authorized.values, { production: { authConnectionId: connection.id } })
    assert.deepEqual(
      [text.type, sealed.type, authorized.type],
      ['string', 'secret', 'auth_connection'],
    )
    assert.match(text.id, /^envvar_[0-9a-f]{20}$/)
    assert.equal(text.workspaceId, 'org_default')
    assert.equal(text.createdByUserId, principal)
    assert.ok(Math.abs(text.createdAtUnixSecs - Date.now() / 1000) < 60)
    assert.deepEqual(await convai.sdk.environmentVariables.get(text.id), text)
  })

  it('replaces values environment by environment, and takes away where null is said', async () => {
    const { id } = await create('patched', { production: 'a', staging: 'b', test: 'c' })
    const { json } = await convai.ask('PATCH', `${PATH}/${id}`, {
      values: { staging: null, test: 'd', more: 'e' },
    })
    assert.deepEqual(json.values, { production: 'a', test: 'd', more: 'e' })
    const updated = await convai.sdk.environmentVariables.update(id, {
      values: { production: 'z' },
    })
    assert.deepEqual(updated.values, { production: 'z', test: 'd', more: 'e' })
  })

  it('answers 400 to who takes production away, and 404 where there is no variable', async () => {
    const { id } = await create('kept', { production: 'a' })
    const { status, json } = await convai.ask('PATCH', `${PATH}/${id}`, {
      values: { production: null },
    })
    assert.equal(status, 400)
    assert.deepEqual(
      [json.detail.type, json.detail.code, json.detail.param],
      ['validation_error', 'invalid_parameters', 'values.production'],
    )
    const none = `envvar_${'0'.repeat(20)}`
    await assert.rejects(convai.sdk.environmentVariables.get(none), NotFoundError)
    const patch = { values: { production: 'x' } }
    await assert.rejects(convai.sdk.environmentVariables.update(none, patch), NotFoundError)
    const { json: missing } = await convai.ask('GET', `${PATH}/${none}`)
    assert.equal(missing.detail.type, 'not_found')
    assert.equal(missing.detail.code, 'variable_not_found')
  })

  it('refuses a label that is taken', async () => {
    await create('twice', { production: 'a' })
    await assert.rejects(create('twice', { production: 'b' }), ConflictError)
  })

  it('names every wrong field at once', async () => {
    assert.deepEqual(await wrong({ type: 'string' }), ['body.label', 'body.values'])
    assert.deepEqual(
      await wrong({ type: 'string', label: 'no-hyphen', values: { staging: 7, 'a b': 'x' } }),
      ['body.label', 'body.values.staging', 'body.values.a b', 'body.values.production'],
    )
    assert.deepEqual(await wrong({ type: 'number', label: 'l', values: {} }), ['body'])
    assert.deepEqual(await wrong({ type: 'secret', label: 'l', values: { production: 'open' } }), [
      'body.values.production',
    ])
    assert.deepEqual(
      await wrong({ type: 'secret', label: 'l', values: { production: { secret_id: 'none' } } }),
      ['body.values.production'],
    )
    const refused = create('bad label', { production: 'x' })
    await assert.rejects(refused, UnprocessableEntityError)
  })

  it('refuses a value of another type than the variable', async () => {
    const { id } = await create('typed', { production: 'a' })
    const value = { auth_connection_id: `ac_${'0'.repeat(20)}` }
    const body = { values: { staging: value } }
    assert.deepEqual(await wrong(body, 'PATCH', `${PATH}/${id}`), ['body.values.staging'])
    assert.deepEqual(await wrong({}, 'PATCH', `${PATH}/${id}`), ['body.values'])
  })

  it('takes a hundred environments and no more', async () => {
    const values = (count: number) =>
      Object.fromEntries(['production', ...Array(count).keys()].map((name) => [name, 'x']))
    const { id } = await create('hundred', values(99))
    assert.deepEqual(await wrong({ type: 'string', label: 'l', values: values(100) }), [
      'body.values',
    ])
    const more = { values: { another: 'x' } }
    assert.deepEqual(await wrong(more, 'PATCH', `${PATH}/${id}`), ['body.values'])
  })

  it('lists in pages, by label, type and environment', async () => {
    const list = convai.sdk.environmentVariables
    const labels: string[] = []
    let cursor: string | undefined
    do {
      const page = await list.list({ pageSize: 2, ...(cursor !== undefined && { cursor }) })
      assert.ok(page.environmentVariables.length <= 2)
      assert.equal(page.hasMore, Boolean(page.nextCursor))
      labels.push(...page.environmentVariables.map(({ label }) => label))
      cursor = page.nextCursor
    } while (cursor)
    const all = await list.list()
    assert.deepEqual(
      labels,
      all.environmentVariables.map(({ label }) => label),
    )
    assert.deepEqual(labels, [...labels].toSorted())
    const staging = await list.list({ environment: 'staging' })
    assert.deepEqual(
      staging.environmentVariables.map(({ label, values }) => [label, values]),
      [['mcp_host', { staging: 'stg' }]],
    )
    const secrets = await list.list({ type: 'secret' })
    assert.deepEqual(
      secrets.environmentVariables.map(({ label }) => label),
      ['token'],
    )
    assert.equal((await list.list({ label: 'auth' })).environmentVariables.length, 1)
    assert.equal((await list.list({ label: 'aut' })).environmentVariables.length, 0)
    const { json } = await convai.ask('GET', PATH)
    for (const variable of json.environment_variables) assertSchema(ENVIRONMENT_VARIABLE, variable)
  })

  it('refuses filters that cannot be', async () => {
    const list = convai.sdk.environmentVariables
    await assert.rejects(list.list({ environment: 'not one' }), BadRequestError)
    for (const query of ['page_size=0', 'page_size=101', 'page_size=x', 'type=map', 'cursor=x']) {
      const { status, json } = await convai.ask('GET', `${PATH}?${query}`)
      assert.equal(status, 422, query)
      assert.deepEqual(json.detail[0].loc, ['query', query.split('=')[0]])
    }
  })

  it('lets members read, and admins alone write', async () => {
    const { secret } = await memberKey(rollcall, { role: 'member' })
    const member = convaiOf(rollcall, secret)
    assert.ok((await member.sdk.environmentVariables.list()).environmentVariables.length > 0)
    const { status, json } = await member.ask('POST', PATH, {
      type: 'string',
      label: 'theirs',
      values: { production: 'x' },
    })
    assert.equal(status, 401)
    assert.equal(json.detail.status, 'missing_permissions')
  })

  it('keeps those of another organization unseen', async () => {
    const { id } = await create('ours', { production: 'x' })
    await createOrganization(rollcall, 'other')
    const { secret } = await memberKey(rollcall, {}, inOrganization('other'))
    const other = convaiOf(rollcall, secret)
    assert.deepEqual((await other.sdk.environmentVariables.list()).environmentVariables, [])
    await assert.rejects(other.sdk.environmentVariables.get(id), NotFoundError)
  })
})
