/** Who asks the gateway, from real objects and KV, and the refusals that each wrong credential meets. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readSettings, type Env } from '../../src/env.ts'
import { HttpError } from '../../src/protocol/http-error.ts'
import { requireGatewayCaller } from '../../src/surfaces/gateway/caller.ts'
import { newestCaller } from '../../src/surfaces/gateway/principal.ts'
import { createPlatform, type Platform } from '../../src/surfaces/platform.ts'
import { createOrganization, createServer, inOrganization } from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { startIssuer, type Issuer } from '../support/issuer.ts'
import {
  OPERATOR_TOKEN,
  SEAL_KEYS,
  SESSION_JWT_SECRET,
  startRollcall,
  type Rollcall,
} from '../support/rollcall.ts'
import { serverFile } from '../support/servers.ts'

const PUBLIC_URL = 'https://mcp.example.com'

type Sent = { headers?: Record<string, string>; query?: string; environment?: string }

describe('who asks the gateway', () => {
  let rollcall: Rollcall
  let issuer: Issuer
  let env: Env
  before(async () => {
    issuer = await startIssuer()
    const vars = {
      PUBLIC_URL,
      ALLOW_PRIVATE_UPSTREAMS: '1',
      OAUTH_ISSUERS: JSON.stringify([{ issuer: issuer.url }]),
    }
    rollcall = await startRollcall({ vars })
    env = {
      ...(await rollcall.harness.getWorker<Env>().getEnv()),
      ...vars,
      DEVELOPMENT: '1',
      OPERATOR_TOKEN,
      SEAL_KEYS,
      SESSION_JWT_SECRET,
      LIMITER: { limit: async () => ({ success: true }) },
    }
  })
  after(() => Promise.all([rollcall.close(), issuer.close()]))

  /** An isolate that remembers nothing yet. */
  const isolate = (): Platform => createPlatform(env, readSettings(env))
  const ask = ({ headers = {}, query = '', environment }: Sent, platform = isolate()) => {
    const request = new Request(`${PUBLIC_URL}/mcp${query}`, { method: 'POST', headers })
    const visit = { request, waitUntil: () => {}, address: '127.0.0.1' }
    return requireGatewayCaller(platform, visit, environment)
  }
  const bearer = (text: string): Sent => ({ headers: { authorization: `Bearer ${text}` } })
  const refused = async (sent: Sent, status: number, code: string, platform?: Platform) => {
    try {
      await ask(sent, platform)
    } catch (error) {
      assert.ok(error instanceof HttpError, String(error))
      assert.deepEqual([error.status, error.code], [status, code])
      return error.headers['WWW-Authenticate']
    }
    throw new Error('it was let in')
  }
  /** The same once KV has heard of a change: an isolate that knows nothing goes by that. */
  const refusedSoon = async (sent: Sent, status: number, code: string) => {
    const codeNow = () =>
      ask(sent).then(
        () => 'none',
        (error: HttpError) => error.code,
      )
    await eventually(codeNow, (found) => found === code)
    await refused(sent, status, code)
  }
  const make = async (path: string, body: object, headers = {}) => {
    const made = await rollcall.admin('POST', path, body, headers)
    assert.equal(made.status, 201, made.text)
    return made.json
  }
  const challenge = (path: string, error = '') =>
    `Bearer realm="rollcall"${error}, resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource${path}"`

  it('is a member or an agent by its key, in either header', async () => {
    for (const kind of ['member', 'agent']) {
      const key = await make('/keys', { name: 'K', kind })
      for (const headers of [bearer(key.secret).headers, { 'x-api-key': key.secret }]) {
        const { credential, principal } = await ask({ headers })
        assert.deepEqual(credential, { id: key.id, kind, expiresAtMs: Infinity })
        assert.deepEqual([principal.id, principal.kind], [key.principal, kind])
      }
    }
  })

  it('is a member by a session JWT', async () => {
    const { id } = await make('/members', { name: 'Ada', role: 'admin' })
    const { token, expiresAt } = await make(`/members/${id}/session`, {})
    const { credential, principal } = await ask(bearer(token))
    const expiresAtMs = Date.parse(expiresAt)
    assert.deepEqual(credential, { id, kind: 'session', expiresAtMs })
    assert.deepEqual([principal.id, principal.role], [id, 'admin'])
    await refused({ headers: { 'x-api-key': token } }, 401, 'invalid_jwt')
    await rollcall.admin('DELETE', `/members/${id}`)
    await refusedSoon(bearer(token), 401, 'invalid_jwt')
  })

  it('is a member by an OAuth token for this very endpoint', async () => {
    const external = (subject: string) => ({ issuer: issuer.url, subject })
    const { id } = await make('/members', { name: 'Bea', externalId: external('bea') })
    const token = (path: string, claims: object = {}) =>
      issuer.token({ aud: PUBLIC_URL + path, sub: 'bea', ...claims })
    const { credential, principal } = await ask(bearer(await token('/mcp')))
    assert.deepEqual([credential.id, credential.kind, principal.id], [id, 'oauth', id])
    const inEnvironment = { ...bearer(await token('/mcp/env/support')), environment: 'support' }
    assert.equal((await ask(inEnvironment)).principal.id, id)
    await refused(bearer(await token('/mcp/env/support')), 401, 'invalid_jwt')
    await refused({ ...bearer(await token('/mcp')), environment: 'support' }, 401, 'invalid_jwt')
    await refused(bearer(await token('/mcp', { sub: 'nobody' })), 403, 'no_active_org')
    for (const forged of [
      issuer.unsigned({ aud: `${PUBLIC_URL}/mcp`, sub: 'bea' }),
      await issuer.confused({ aud: `${PUBLIC_URL}/mcp`, sub: 'bea' }),
      await token('/mcp', { iss: PUBLIC_URL }),
      await token('/mcp', { exp: null }),
    ]) {
      await refused(bearer(forged), 401, 'invalid_jwt')
    }
  })

  it('is in the organization that the token names, where the person is a member of it', async () => {
    const body = { name: 'Cy', externalId: { issuer: issuer.url, subject: 'cy' } }
    const second = await createOrganization(rollcall, 'second')
    const third = await createOrganization(rollcall, 'third')
    const here = await make('/members', body)
    const there = await make('/members', body, inOrganization('second'))
    const memberFor = async (claims: object) => {
      const token = await issuer.token({ aud: `${PUBLIC_URL}/mcp`, sub: 'cy', ...claims })
      return (await ask(bearer(token))).principal.id
    }
    assert.equal(await memberFor({ org: second.id }), there.id)
    assert.equal(await memberFor({ org: 'org_default' }), here.id)
    for (const claims of [{}, { org: third.id }, { org: 'second' }]) {
      const token = await issuer.token({ aud: `${PUBLIC_URL}/mcp`, sub: 'cy', ...claims })
      await refused(bearer(token), 403, 'no_active_org')
    }
  })

  it('is no longer who has signed in once that person is taken off the member', async () => {
    const externalId = { issuer: issuer.url, subject: 'dan' }
    const { id } = await make('/members', { name: 'Dan', externalId })
    const bearers = [
      bearer(await issuer.token({ aud: `${PUBLIC_URL}/mcp`, sub: 'dan' })),
      bearer((await make(`/members/${id}/session`, { externalId })).token),
    ]
    for (const other of [{ ...externalId, subject: 'eve' }, null]) {
      const callers = await Promise.all(bearers.map(async (sent) => ask(sent)))
      await rollcall.admin('PATCH', `/members/${id}`, { externalId: other })
      for (const caller of callers) {
        const asking = { platform: isolate(), caller, environment: undefined }
        await assert.rejects(newestCaller(asking), { status: 401, code: 'invalid_api_key' })
      }
      await rollcall.admin('PATCH', `/members/${id}`, { externalId })
      for (const caller of callers) {
        const asking = { platform: isolate(), caller, environment: undefined }
        assert.equal((await newestCaller(asking)).principal.id, id)
      }
    }
  })

  it('is let in by a good token, however many there were from its address', async () => {
    const externalId = { issuer: issuer.url, subject: 'fay' }
    const { id } = await make('/members', { name: 'Fay', externalId })
    const token = await issuer.token({ aud: `${PUBLIC_URL}/mcp`, sub: 'fay' })
    const known = isolate()
    await ask(bearer(token), known)
    const spent = (key: string) => ({ success: !key.startsWith('miss ') })
    const platform = { ...isolate(), principals: known.principals }
    platform.env = { ...env, LIMITER: { limit: async ({ key }) => spent(key) } }
    assert.equal((await ask(bearer(token), platform)).principal.id, id)
  })

  it('is nobody without a credential, and is told where to sign in', async () => {
    assert.equal(await refused({}, 401, 'missing_authorization'), challenge('/mcp'))
    const environment = { environment: 'support' }
    assert.equal(
      await refused(environment, 401, 'missing_authorization'),
      challenge('/mcp/env/support'),
    )
  })

  it('is refused by a code for each wrong credential', async () => {
    const { secret, id } = await make('/keys', { name: 'K', kind: 'member' })
    const { id: server } = await createServer(rollcall, serverFile('Keyed', []))
    const ofServer = await make('/keys', { name: 'S', server })
    const mistyped = `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`
    for (const text of [mistyped, ofServer.secret, OPERATOR_TOKEN, 'made-up']) {
      const told = await refused(bearer(text), 401, 'invalid_api_key')
      assert.equal(told, challenge('/mcp', ', error="invalid_token"'))
    }
    const both = { authorization: `Bearer ${secret}`, 'x-api-key': mistyped }
    for (const [headers, code] of [
      [both, 'two_credentials'],
      [{ authorization: `Basic ${secret}` }, 'invalid_authorization'],
      [{ authorization: `Bearer ${secret}, Bearer x` }, 'invalid_authorization'],
    ] as const) {
      assert.equal(await refused({ headers }, 401, code), challenge('/mcp'))
      const support = { headers, environment: 'support' }
      assert.equal(await refused(support, 401, code), challenge('/mcp/env/support'))
    }
    await rollcall.admin('DELETE', `/keys/${id}`)
    await refusedSoon(bearer(secret), 401, 'invalid_api_key')
  })

  it('is refused with a credential in the URL, beside a good one too', async () => {
    const { secret } = await make('/keys', { name: 'K', kind: 'member' })
    for (const query of [`?access_token=x`, `?API_KEY=x`, `?anything=${secret}`]) {
      await refused({ query }, 401, 'credential_in_url')
      await refused({ ...bearer(secret), query }, 401, 'credential_in_url')
    }
    for (const name of ['anything', 'id_token']) {
      const query = `?${name}=${await issuer.token()}`
      await refused({ query }, 401, 'credential_in_url')
      await refused({ ...bearer(secret), query }, 401, 'credential_in_url')
    }
    assert.ok(await ask({ ...bearer(secret), query: '?version=1.2.3&file=eyes.of.tools' }))
    assert.ok(await ask({ ...bearer(secret), query: '?cursor=abc' }))
  })

  it('is refused while it is suspended', async () => {
    for (const kind of ['member', 'agent']) {
      const { secret, principal } = await make('/keys', { name: 'K', kind })
      const path = `/${kind}s/${principal}`
      await rollcall.admin('PATCH', path, { status: 'suspended' })
      await refusedSoon(bearer(secret), 403, `${kind}_suspended`)
      await rollcall.admin('DELETE', path)
      await refusedSoon(bearer(secret), 401, 'invalid_api_key')
    }
  })

  it('is bound to the environment of its key', async () => {
    const { secret } = await make('/keys', { name: 'K', kind: 'member', environment: 'support' })
    for (const environment of [undefined, 'support']) {
      const { credential } = await ask({ ...bearer(secret), ...(environment && { environment }) })
      assert.equal(credential.environment, 'support')
    }
    await refused({ ...bearer(secret), environment: 'sales' }, 403, 'environment_mismatch')
  })

  it('is remembered: a second request reads nothing', async () => {
    const { secret } = await make('/keys', { name: 'K', kind: 'member' })
    const platform = isolate()
    const first = await ask(bearer(secret), platform)
    platform.env = undefined as never // whoever reads now fails
    assert.deepEqual(await ask(bearer(secret), platform), first)
  })
})
