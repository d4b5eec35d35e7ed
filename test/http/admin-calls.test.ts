/** The call log as the operator reads it; a call is in it within some five seconds. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  allItems,
  createKey,
  createOrganization,
  createServer,
  inOrganization,
  wrongFields,
} from '../support/admin.ts'
import { openStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'
import { call, cancelled, ENDLESS, log, talking } from '../support/talking.ts'

const failing = { content: [{ type: 'text', text: 'No such\ncity' }], isError: true }
const TOOLS = [
  tool('plain', { inputSchema: { type: 'object', properties: { n: { type: 'integer' } } } }),
  tool('failing', { handler: { kind: 'static', result: failing } }),
  tool('needy', { requires: { sampling: {} } }),
  tool('paused', { status: 'paused' }),
  talking('talk', { progress: { progress: 1 } }),
  ENDLESS,
  // A client that has left is noticed with what is sent next.
  talking('chatty', ...Array.from({ length: 40 }, () => [log('more'), { waitMs: 250 }]).flat()),
]

type Item = { at: string; server: string; tool: string; caller: string; outcome: string }

describe('GET /api/v1/calls', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())

  const make = (name: string, members: object = {}) =>
    createServer(rollcall, serverFile(name, TOOLS, members))
  /** Waits until so many calls of a server are in the log, and gives them. */
  const logged = async (server: string, count: number) => {
    const { json } = await eventually(
      () => rollcall.admin('GET', `/calls?server=${server}`),
      (answer) => answer.json.items.length >= count,
    )
    assert.equal(json.items.length, count)
    return json.items
  }
  const outcomes = (items: Item[]) => items.map((item) => `${item.tool} ${item.outcome}`).toSorted()
  const modernCall = (path: string, name: string, args: object = {}, headers = {}) =>
    rollcall.post(path, modern('tools/call', { name, arguments: args }), {
      ...modernHeaders('tools/call', name),
      ...headers,
    })

  it('has a call of every outcome, and nothing of arguments, results and made-up names', async () => {
    const { id, endpoint } = await make('Outcomes')
    const began = Date.now()
    await modernCall(endpoint, 'plain', { n: 7_654_321 })
    await modernCall(endpoint, 'plain', { n: 'wrong' })
    await modernCall(endpoint, 'failing')
    assert.equal((await modernCall(endpoint, 'needy')).json.error.code, -32021)
    for (const name of ['paused', 'none']) {
      assert.equal((await modernCall(endpoint, name)).json.error.code, -32602)
    }
    const items = await logged(id, 4)
    assert.deepEqual(outcomes(items), ['failing error', 'needy error', 'plain error', 'plain ok'])
    const find = (name: string, outcome: string) =>
      items.find((item: Item) => item.tool === name && item.outcome === outcome)
    const { at, ms, ...rest } = find('plain', 'ok')
    assert.ok(Date.parse(at) >= began && Date.parse(at) <= Date.now())
    assert.ok(Number.isInteger(ms))
    const bytes = JSON.stringify({ content: [{ type: 'text', text: 'plain ran' }] }).length
    assert.deepEqual(rest, { server: id, tool: 'plain', caller: 'anonymous', outcome: 'ok', bytes })
    assert.equal(find('failing', 'error').problem, 'No such city')
    assert.match(find('plain', 'error').problem, /^Invalid arguments for plain: \/n: /)
    assert.match(find('needy', 'error').problem, /client capability sampling/)
    assert.doesNotMatch(JSON.stringify(items), /7654321|plain ran/)
  })

  it('has the calls of sessions, cancelled ones too', async () => {
    const { id, endpoint } = await make('Sessions')
    const session = await openSession(rollcall, endpoint)
    await session.post(call('plain', 1))
    await (await session.stream(call('talk', 2))).rest()
    const stream = await session.stream(call('endless', 3))
    await stream.message()
    await session.post(cancelled(3))
    await stream.rest()
    const wrong = { name: 'plain', arguments: { n: 'x' } }
    await session.post(legacy('tools/call', wrong, 4))
    const items = await logged(id, 4)
    assert.deepEqual(outcomes(items), ['endless cancelled', 'plain error', 'plain ok', 'talk ok'])
  })

  it('has a call whose modern client left as cancelled', async () => {
    const { id, endpoint } = await make('Left')
    const meta = { 'io.modelcontextprotocol/logLevel': 'info' }
    const stream = await openStream(rollcall.url + endpoint, {
      method: 'POST',
      headers: { ...modernHeaders('tools/call', 'chatty'), 'content-type': 'application/json' },
      body: JSON.stringify(modern('tools/call', { name: 'chatty' }, meta)),
    })
    await stream.message()
    stream.close()
    assert.deepEqual(outcomes(await logged(id, 1)), ['chatty cancelled'])
  })

  it('filters, pages and deletes', async () => {
    const { id, endpoint } = await make('Filters', { auth: 'key' })
    const key = await createKey(rollcall, id)
    const headers = { authorization: `Bearer ${key.secret}` }
    for (let n = 0; n < 3; n++) await modernCall(endpoint, 'plain', {}, headers)
    await modernCall(endpoint, 'failing', {}, headers)
    const items: Item[] = await logged(id, 4)
    assert.deepEqual(
      items,
      await allItems(rollcall, `/calls`, 1).then((all) => all.filter((item) => item.server === id)),
    )
    assert.deepEqual(
      items,
      items.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)),
    )
    const count = async (filter: string) =>
      (await rollcall.admin('GET', `/calls?${filter}`)).json.items.length
    assert.equal(await count(`caller=${key.id}`), 4)
    assert.equal(await count(`server=${id}&tool=failing`), 1)
    assert.equal(await count(`server=${id}&outcome=ok`), 3)
    assert.equal(await count(`server=${id}&q=SUCH`), 1)
    assert.equal(await count(`server=${id}&to=${items.at(-1)?.at}`), 0)
    assert.equal(await count(`server=${id}&from=${items.at(-1)?.at}`), 4)
    const deleted = await rollcall.admin('DELETE', `/calls?server=${id}&outcome=ok`)
    assert.deepEqual([deleted.status, deleted.json], [200, { deleted: 3 }])
    assert.equal(await count(`server=${id}`), 1)
    const [row] = (await rollcall.admin('GET', '/audit?limit=1')).json.items
    assert.equal(row.act, 'calls.delete')
    assert.deepEqual(row.detail, { server: id, outcome: 'ok', deleted: 3 })
    // A deleted server's calls stay until they age.
    await rollcall.admin('DELETE', `/servers/${id}`)
    assert.equal(await count(`server=${id}`), 1)
  })

  it('refuses each wrong filter by name, and to delete without one', async () => {
    const wrong = 'server=x&tool=a%20b&caller=&outcome=bad&from=yesterday&to=1&q=&surprise=1'
    const names = ['caller', 'from', 'outcome', 'q', 'server', 'surprise', 'to', 'tool']
    for (const method of ['GET', 'DELETE']) {
      const answer = await rollcall.admin(method, `/calls?${wrong}`)
      assert.deepEqual(wrongFields(answer).toSorted(), names)
    }
    for (const name of ['limit', 'cursor']) {
      const answer = await rollcall.admin('GET', `/calls?${name}=-`)
      assert.deepEqual(wrongFields(answer), [name])
    }
    assert.equal((await rollcall.admin('DELETE', '/calls')).status, 422)
    assert.deepEqual(wrongFields(await rollcall.admin('DELETE', '/calls?limit=1')), ['limit'])
  })

  it('shows an organization its own calls alone', async () => {
    await createOrganization(rollcall, 'other')
    const other = inOrganization('other')
    const { id, endpoint } = await createServer(rollcall, serverFile('Other', TOOLS), other)
    await modernCall(endpoint, 'plain')
    const read = () => rollcall.admin('GET', '/calls', undefined, other)
    const { json } = await eventually(read, (answer) => answer.json.items.length > 0)
    assert.deepEqual(outcomes(json.items), ['plain ok'])
    assert.deepEqual((await rollcall.admin('GET', `/calls?server=${id}`)).json.items, [])
  })
})
