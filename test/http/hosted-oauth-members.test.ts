/** Hosted servers that people sign in to: the members that tokens name, and what ends with them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createOrganization, inOrganization, refusal } from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { startIssuer, type Issuer } from '../support/issuer.ts'
import { LIST, legacy } from '../support/messages.ts'
import type { Rollcall } from '../support/rollcall.ts'
import { openSession } from '../support/sessions.ts'
import { bearer, joinAs, serveSigned, startSignedIn, tokenFor } from '../support/signed-in.ts'
import { listenTo } from '../support/talking.ts'

describe('hosted servers with auth oauth', () => {
  let rollcall: Rollcall
  let issuer: Issuer
  let path: string
  let member: string
  before(async () => {
    issuer = await startIssuer()
    rollcall = await startSignedIn(issuer)
    path = await serveSigned(rollcall, 'Signed')
    member = await join('user-1')
    await createOrganization(rollcall, 'other')
  })
  after(() => Promise.all([rollcall.close(), issuer.close()]))

  const join = (subject: string, headers = {}) => joinAs(rollcall, issuer, subject, headers)
  const token = (at: string, claims: object = {}) => tokenFor(issuer, at, claims)
  const list = (at: string, text: string) => rollcall.post(at, LIST, bearer(text))

  it('end calls and streams once the person is taken off the member', async () => {
    const id = await join('unlinked')
    const other = { externalId: { issuer: issuer.url, subject: 'in-its-place' } }
    for (const at of [path, '/mcp']) {
      for (const patch of [{ externalId: null }, other]) {
        const headers = bearer(await token(at, { sub: 'unlinked' }))
        const called = async () => {
          const name = at === path ? 'a' : 'manage__whoami'
          const message = legacy('tools/call', { name })
          const accept = { accept: 'application/json, text/event-stream' }
          return (await rollcall.post(at, message, { ...headers, ...accept })).status
        }
        assert.equal(await eventually(called, (status) => status !== 403 && status < 500), 200)
        const stream = await listenTo(rollcall.url + at, 1, headers)
        await rollcall.admin('PATCH', `/members/${id}`, patch)
        const began = Date.now()
        await stream.rest()
        await eventually(called, (status) => status > 400)
        assert.ok(Date.now() - began < 6000)
        const externalId = { issuer: issuer.url, subject: 'unlinked' }
        const back = await rollcall.admin('PATCH', `/members/${id}`, { externalId })
        assert.equal(back.status, 200, back.text)
      }
    }
  })

  it('bind a session to the member, not to the token', async () => {
    await join('second')
    const session = await openSession(rollcall, path, { headers: bearer(await token(path)) })
    const renewed = bearer(await token(path, { jti: 'another' }))
    assert.equal((await session.post(legacy('tools/list'), renewed)).status, 200)
    const { json } = await rollcall.admin('GET', `/sessions?server=${path.split('/').at(-1)}`)
    assert.ok(json.items.some(({ caller }: { caller: string }) => caller === member))
    const others = bearer(await token(path, { sub: 'second' }))
    const answer = await session.post(legacy('tools/list'), others)
    assert.deepEqual(refusal(answer), { status: 404, code: 'session_not_found' })
  })

  it('are not there for who is no member of their organization', async () => {
    const nobody = await list(path, await token(path, { sub: 'nobody' }))
    assert.deepEqual(refusal(nobody), { status: 404, code: 'endpoint_not_found' })
    await join('elsewhere', inOrganization('other'))
    const stranger = await list(path, await token(path, { sub: 'elsewhere' }))
    assert.equal(stranger.text, nobody.text)
    await join('elsewhere')
    assert.equal((await list(path, await token(path, { sub: 'elsewhere' }))).status, 200)
  })

  it('refuse a member that is suspended, and let it in again', async () => {
    const id = await join('third')
    const change = (status: string) => rollcall.admin('PATCH', `/members/${id}`, { status })
    const ask = async () => list(path, await token(path, { sub: 'third' }))
    assert.equal((await ask()).status, 200)
    await change('suspended')
    assert.deepEqual(refusal(await ask()), { status: 403, code: 'member_suspended' })
    await change('active')
    assert.equal((await ask()).status, 200)
    await rollcall.admin('DELETE', `/members/${id}`)
    assert.equal((await ask()).status, 404)
  })

  it('open to no key and no session', async () => {
    const { json } = await rollcall.admin('POST', '/keys', {
      name: 'K',
      kind: 'member',
      principal: member,
    })
    const session = await rollcall.admin('POST', `/members/${member}/session`)
    for (const text of [json.secret, session.json.token]) {
      assert.deepEqual(refusal(await list(path, text)), { status: 401, code: 'invalid_jwt' })
    }
  })
})
