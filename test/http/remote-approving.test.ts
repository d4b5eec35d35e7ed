/** How a person approves tools of remote servers, and takes it back (`surfaces.md` D18, D19). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createOrganization,
  inOrganization,
  refusal,
  toolNames,
  wrongFields,
} from '../support/admin.ts'
import { HEADERS, setUpApproving, WEATHER } from '../support/approving.ts'
import { LIST } from '../support/messages.ts'
import { serverFile } from '../support/servers.ts'

const setUp = setUpApproving()

describe('approving', () => {
  it('is of what was looked at: 412 when that moved', async () => {
    const { offer, read, drift, approve, listed } = await setUp()
    const { revision } = await drift()
    offer({ description: 'Now something else' })
    await read()
    const late = await approve({ weather: 'auto_approved' }, revision)
    assert.deepEqual(refusal(late), { status: 412, code: 'revision_moved' })
    const tag = { 'if-match': `"${revision}"` }
    assert.equal((await approve({ weather: 'auto_approved' }, undefined, tag)).status, 412)
    assert.deepEqual(await listed(), [])
  })

  it('names its revision, in the body or the header, and once', async () => {
    const { drift, approve } = await setUp()
    const { revision } = await drift()
    const chosen = { weather: undefined }
    assert.deepEqual(wrongFields(await approve(chosen)), ['revision'])
    assert.deepEqual(wrongFields(await approve(chosen, undefined, { 'if-match': '*' })), [
      'revision',
    ])
    const other = { 'if-match': `"${revision + 1}"` }
    assert.deepEqual(wrongFields(await approve(chosen, revision, other)), ['revision'])
    const same = { 'if-match': `"${revision}"` }
    assert.equal((await approve(chosen, undefined, same)).status, 200)
  })

  it('is of tools that are there, on a remote server of the organization', async () => {
    const { rollcall, id, drift, approve } = await setUp()
    const { revision } = await drift()
    assert.deepEqual(wrongFields(await approve({ nothing: undefined }, revision)), [
      'tools[0].name',
    ])
    assert.deepEqual(wrongFields(await approve({}, revision)), ['tools'])
    const near = (await rollcall.admin('POST', '/servers', serverFile('Near'))).json
    const body = { revision: near.revision, tools: [{ name: 'a' }] }
    const wrong = await rollcall.admin('POST', `/servers/${near.id}/approve`, body)
    assert.deepEqual(refusal(wrong), { status: 409, code: 'not_remote' })
    await createOrganization(rollcall, 'others')
    const there = inOrganization('others')
    for (const [method, path] of [
      ['GET', 'drift'],
      ['POST', 'approve'],
      ['DELETE', 'approvals/weather'],
    ] as const) {
      const sent = method === 'POST' ? body : undefined
      const answer = await rollcall.admin(method, `/servers/${id}/${path}`, sent, there)
      assert.deepEqual(refusal(answer), { status: 404, code: 'server_not_found' })
    }
  })

  it('is taken back by the name that a tool has there', async () => {
    const { rollcall, id, upstream, read, drift, approve, listed } = await setUp({
      weather: undefined,
    })
    const odd = 'über/all %'
    upstream.world.tools.set(odd, {
      definition: { ...WEATHER, name: odd },
      run: () => ({ content: [] }),
    })
    await read()
    assert.equal((await approve({ [odd]: 'auto_approved' }, (await drift()).revision)).status, 200)
    assert.equal((await listed()).length, 2)
    const withdraw = (name: string) =>
      rollcall.admin('DELETE', `/servers/${id}/approvals/${encodeURIComponent(name)}`)
    assert.equal((await withdraw(odd)).status, 204)
    assert.deepEqual(await toolNames(rollcall, id), ['weather'])
    assert.deepEqual(refusal(await withdraw(odd)), { status: 404, code: 'approval_not_found' })
  })

  it('changes nothing that is listed where no tool needs it', async () => {
    const { listed, approve, drift, call } = await setUp({}, 'auto_approve_all')
    const all = (await listed()).length
    const { revision } = await drift()
    const { json } = await approve({ weather: 'requires_approval' }, revision)
    assert.deepEqual(json, { revision })
    assert.equal((await listed()).length, all)
    assert.equal((await call({ city: 'Graz' })).result.isError, undefined)
  })

  it('is needed for each call where the policy says so', async () => {
    const { call, calls, listed } = await setUp({}, 'require_approval_all')
    assert.ok((await listed()).length > 5)
    assert.equal(
      (await call({ city: 'x' })).result.structuredContent.error.code,
      'approval_required',
    )
    assert.equal(calls(), 0)
  })

  it('is copied with the server', async () => {
    const { rollcall, id, listed } = await setUp({ weather: 'auto_approved' })
    const copy = await rollcall.admin('POST', `/servers/${id}/duplicate`)
    assert.equal(copy.status, 201, copy.text)
    const { json } = await rollcall.post(copy.json.endpoint, LIST, HEADERS)
    assert.deepEqual(json.result.tools, await listed())
  })
})
