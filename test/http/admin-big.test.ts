import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { allItems, createServer, refusal, untilPublished } from '../support/admin.ts'
import { LIST } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const ID = '00000000000000b9'
const TOOLS = 10_000
const MIB = 1024 * 1024

/** A tool of about 700 bytes. */
const ordinary = (n: number) =>
  tool(`tool_${n}`, {
    description: `Number ${n}: ${'it does what its name says, and no more than that. '.repeat(5)}`,
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'The city to ask about, by its English name' },
        units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
      },
      required: ['city'],
    },
  })

describe('big servers', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())

  const timed = async <T>(test: TestContext, what: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await work()
    test.diagnostic(`${what}: ${Math.round(performance.now() - start)} ms`)
    return result
  }

  it('puts, exports and lists ten thousand tools in order', async (test) => {
    const tools = Array.from({ length: TOOLS }, (_, n) => ordinary(n))
    const file = serverFile('Big', tools, { slug: 'big' })
    const body = JSON.stringify(file)
    test.diagnostic(`${(body.length / MIB).toFixed(1)} MiB`)
    const names = tools.map(({ name }) => name)
    const namesOf = (items: { name: string }[]) => items.map(({ name }) => name)

    const put = () => rollcall.admin('PUT', `/servers/${ID}`, body)
    const made = await timed(test, 'put', put)
    assert.deepEqual([made.status, made.json?.toolCount], [201, TOOLS], made.text.slice(0, 300))
    const list = () => rollcall.post(made.json.endpoint, LIST)
    const listed = await timed(test, 'tools/list at once', list)
    assert.deepEqual(namesOf(listed.json.result.tools), names)
    await timed(test, 'until published', () => untilPublished(rollcall, ID))
    await timed(test, 'tools/list again', list)
    const pages = () => allItems(rollcall, `/servers/${ID}/tools`, 1000)
    assert.deepEqual(namesOf(await timed(test, 'ten pages of a thousand', pages)), names)
    const exported = await timed(test, 'export', () =>
      rollcall.admin('GET', `/servers/${ID}/export`),
    )
    assert.deepEqual(namesOf(exported.json.tools), names)
    assert.deepEqual(exported.json.tools[TOOLS - 1], { ...tools[TOOLS - 1], status: 'active' })
    const again = await timed(test, 'put of the export', () =>
      rollcall.admin('PUT', `/servers/${ID}`, exported.text),
    )
    assert.equal(again.status, 200, again.text.slice(0, 300))
    const path = `/servers/${ID}/tools`
    const patched = await timed(test, 'patch of one tool', () =>
      rollcall.admin('PATCH', `${path}/tool_5000`, { title: 'Changed' }),
    )
    assert.equal(patched.status, 200)
  })

  it('refuses active tools that KV could not hold', async () => {
    const description = 'd'.repeat(MIB - 2000)
    const tools = Array.from({ length: 26 }, (_, n) => tool(`t${n}`, { description }))
    const answer = await rollcall.admin('POST', '/servers', serverFile('Heavy', tools))
    assert.deepEqual(refusal(answer), { status: 413, code: 'server_too_large' })
    assert.ok(!(await rollcall.admin('GET', '/servers')).text.includes('Heavy'))
  })

  // Beyond Latin-1 a text crosses RPC in two bytes a character, and RPC carries 32 MiB.
  it('holds and exports 20 MiB in which a dash stands', async () => {
    const description = `— ${'d'.repeat(MIB - 2000)}`
    const tools = Array.from({ length: 20 }, (_, n) => tool(`t${n}`, { description }))
    const made = await rollcall.admin('POST', '/servers', serverFile('Dashed', tools))
    assert.equal(made.status, 201, made.text.slice(0, 300))
    const exported = await rollcall.admin('GET', `/servers/${made.json.id}/export`)
    assert.equal(exported.status, 200, exported.text.slice(0, 300))
    assert.equal(exported.json.tools.length, 20)
  })

  // Paused tools are not counted, so a server outgrew what one answer of the object can carry.
  it('lists and exports whatever it has taken, paused tools too', async () => {
    const members = { status: 'paused', description: 'd'.repeat(MIB - 2000) }
    const tools = Array.from({ length: 22 }, (_, n) => tool(`t${n}`, members))
    const { id } = await createServer(rollcall, serverFile('Paused', tools))
    let added = 22
    for (; added < 34; added++) {
      const made = await rollcall.admin('POST', `/servers/${id}/tools`, tool(`t${added}`, members))
      if (made.status === 413) break
      assert.equal(made.status, 201, made.text.slice(0, 300))
    }
    for (const part of ['/tools', '/export', '/preview']) {
      const { status, text } = await rollcall.admin('GET', `/servers/${id}${part}`)
      assert.equal(status, 200, `${part} of ${added} MiB: ${text.slice(0, 300)}`)
    }
  })
})
