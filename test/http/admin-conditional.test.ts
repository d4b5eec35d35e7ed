import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createServer, refusal, revisionOf } from '../support/admin.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const MADE_UP = '0123456789abcdef'
const MOVED = { status: 412, code: 'revision_moved' }

let rollcall: Rollcall
before(async () => {
  rollcall = await startRollcall()
})
after(() => rollcall.close())

describe('ETag and If-Match', () => {
  let path: string
  let id: string
  before(async () => {
    id = (await createServer(rollcall, serverFile('Conditional', [tool('a'), tool('b')]))).id
    path = `/servers/${id}`
  })

  it('names the revision on every answer about a server and its tools', async () => {
    for (const part of ['', '/export', '/tools', '/tools/a']) {
      const { headers } = await rollcall.admin('GET', path + part)
      assert.equal(headers.get('etag'), '"1"', part)
    }
  })

  it('refuses every kind of write that was meant for another revision, and changes nothing', async () => {
    const stale = { 'if-match': '"7"' }
    const writes: [method: string, path: string, body?: object][] = [
      ['PUT', path, serverFile('Other')],
      ['PATCH', path, { name: 'Other' }],
      ['DELETE', path],
      ['POST', `${path}/rollback`, { revision: 1 }],
      ['POST', `${path}/tools`, tool('c')],
      ['PUT', `${path}/tools/a`, tool('a', { title: 'A' })],
      ['PATCH', `${path}/tools/a`, { title: 'A' }],
      ['DELETE', `${path}/tools/a`],
      ['POST', `${path}/tools/reorder`, { names: ['b'] }],
    ]
    for (const [method, at, body] of writes) {
      const answer = await rollcall.admin(method, at, body, stale)
      assert.deepEqual(refusal(answer), MOVED, `${method} ${at}`)
    }
    assert.equal(await revisionOf(rollcall, id), 1)
  })

  it('takes a write that was meant for the revision that stands, and names the next', async () => {
    const patch = await rollcall.admin('PATCH', path, { description: 'x' }, { 'if-match': '"1"' })
    assert.equal(patch.status, 200, patch.text)
    assert.equal(patch.headers.get('etag'), '"2"')
    const made = await rollcall.admin('POST', `${path}/tools`, tool('c'), { 'if-match': '"2"' })
    assert.equal(made.status, 201, made.text)
    assert.equal(made.headers.get('etag'), '"3"')
    const any = await rollcall.admin(
      'PATCH',
      `${path}/tools/c`,
      { title: 'C' },
      { 'if-match': '*' },
    )
    assert.equal(any.headers.get('etag'), '"4"')
  })

  it('lets one of many writes through that were meant for the same revision', async () => {
    const headers = { 'if-match': `"${await revisionOf(rollcall, id)}"` }
    const many = Array.from({ length: 10 }, (_, n) =>
      rollcall.admin('PATCH', path, { description: `take ${n}` }, headers),
    )
    const statuses = (await Promise.all(many)).map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 412)])
  })

  // The copy, which is not there yet, was compared with the revision instead of what is copied.
  it('copies the server that stands at the revision the copy was meant for', async () => {
    const headers = { 'if-match': `"${await revisionOf(rollcall, id)}"` }
    const copy = await rollcall.admin('POST', `${path}/duplicate`, undefined, headers)
    assert.equal(copy.status, 201, copy.text)
  })

  it('takes revision 0 for "only when it is not there"', async () => {
    const fresh = '/servers/00000000000000f0'
    const headers = { 'if-match': '"0"' }
    assert.equal((await rollcall.admin('PUT', fresh, serverFile('Fresh'), headers)).status, 201)
    const again = await rollcall.admin('PUT', fresh, serverFile('Fresh'), headers)
    assert.deepEqual(refusal(again), MOVED)
  })

  it('answers 400 to an If-Match that is no revision', async () => {
    for (const header of ['7', 'W/"7"', '"seven"', '"1", "2"', '""', '"-1"']) {
      const answer = await rollcall.admin('PATCH', path, { name: 'N' }, { 'if-match': header })
      assert.deepEqual(refusal(answer), { status: 400, code: 'invalid_if_match' }, header)
    }
  })
})

describe('a server that is not there', () => {
  it('is answered the same whether its id was made up or it was deleted', async () => {
    const { id } = await createServer(rollcall, serverFile('Gone', [tool('a')]))
    assert.equal((await rollcall.admin('DELETE', `/servers/${id}`)).status, 204)
    const asked: [method: string, part: string, body?: object][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'N' }],
      ['DELETE', ''],
      ['POST', '/duplicate'],
      ['GET', '/export'],
      ['GET', '/revisions'],
      ['POST', '/rollback', { revision: 1 }],
      ['GET', '/preview'],
      ['GET', '/tools'],
      ['POST', '/tools', tool('a')],
      ['GET', '/tools/a'],
      ['PUT', '/tools/a', tool('a')],
      ['PATCH', '/tools/a', { title: 'A' }],
      ['DELETE', '/tools/a'],
      ['POST', '/tools/reorder', { names: [] }],
    ]
    for (const [method, part, body] of asked) {
      const gone = await rollcall.admin(method, `/servers/${id}${part}`, body)
      const madeUp = await rollcall.admin(method, `/servers/${MADE_UP}${part}`, body)
      assert.deepEqual(
        refusal(gone),
        { status: 404, code: 'server_not_found' },
        `${method} ${part}`,
      )
      assert.equal(gone.text, madeUp.text.replaceAll(MADE_UP, id), `${method} ${part}`)
    }
  })
})
