/** Lists in pages, and lists that change while somebody walks them (`design.md` §4). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const ID = 'dddddddddddddddd'

describe('Paging of a hosted list', () => {
  let rollcall: Rollcall
  const path = `/mcp/pages/${ID}`
  const all = Array.from({ length: 25 }, (_, n) => `t${n}`)
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())

  const fill = () =>
    rollcall.admin(
      'PUT',
      `/servers/${ID}`,
      serverFile(
        'Pages',
        all.map((name) => tool(name)),
        { pageSize: 10 },
      ),
    )
  const page = async (cursor?: unknown) =>
    (await rollcall.post(path, legacy('tools/list', cursor === undefined ? {} : { cursor }))).json
  const namesOf = ({ result }: { result: { tools: { name: string }[] } }): string[] =>
    result.tools.map(({ name }) => name)

  it('§9.2 #48: visits each tool once, and ends without a cursor', async () => {
    await fill()
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { result } = await page(cursor)
      seen.push(...result.tools.map(({ name }: { name: string }) => name))
      cursor = result.nextCursor
    } while (cursor !== undefined)
    assert.deepEqual(seen, all)
  })

  it('§9.2 #48: refuses a cursor that is not one of ours', async () => {
    for (const cursor of ['', 'junk', 'MS4x!', 7, null, {}, btoa('999.1'), btoa('1.99')]) {
      assert.equal((await page(cursor)).error?.code, -32602, JSON.stringify(cursor))
    }
  })

  it('§9.2 #35: gives every page the same scope', async () => {
    const headers = modernHeaders('tools/list')
    const first = await rollcall.post(path, modern('tools/list'), headers)
    const cursor = first.json.result.nextCursor
    const second = await rollcall.post(path, modern('tools/list', { cursor }), headers)
    for (const { json } of [first, second]) {
      assert.deepEqual([json.result.cacheScope, json.result.ttlMs], ['public', 30_000])
    }
    assert.equal(second.json.result.tools.length, 10)
  })

  it('goes on from the list it began with when tools are added, paused and moved meanwhile', async () => {
    await fill()
    const first = await page()
    await rollcall.admin('PATCH', `/servers/${ID}/tools/t12`, { status: 'paused' })
    await rollcall.admin('POST', `/servers/${ID}/tools/reorder`, { names: ['t24', 't20'] })
    await rollcall.admin('POST', `/servers/${ID}/tools`, tool('new', { sortOrder: 0 }))
    await published()
    const second = await page(first.result.nextCursor)
    const third = await page(second.result.nextCursor)
    const walked = [...namesOf(first), ...namesOf(second), ...namesOf(third)]
    assert.deepEqual(
      walked,
      all.filter((name) => name !== 't12'),
    )
    assert.equal(third.result.nextCursor, undefined)
    assert.deepEqual(namesOf(await page()).slice(0, 3), ['t24', 'new', 't20'])
  })

  it('gives the rest in one page once the page size is taken away', async () => {
    await fill()
    const first = await page()
    await rollcall.admin('PATCH', `/servers/${ID}`, { pageSize: null })
    await published()
    assert.deepEqual(namesOf(await page(first.result.nextCursor)), all.slice(10))
    assert.deepEqual(namesOf(await page()), all)
  })

  /** Waits until KV holds the newest revision, and so the one that the walk began with. */
  async function published(): Promise<void> {
    for (;;) {
      const { json } = await rollcall.admin('GET', `/servers/${ID}`)
      if (json.revision === json.publishedRevision) return
    }
  }
})
