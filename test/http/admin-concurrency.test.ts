import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createOrganization,
  createServer,
  inOrganization,
  listedNames,
  revisionOf,
  toolNames,
  untilPublished,
} from '../support/admin.ts'
import { startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const THEIRS = inOrganization('theirs')

const statusesOf = (answers: readonly Answer[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

/** One success, and so many refusals. */
const onlyOne = (success: number, refused: number, many: number) => [
  success,
  ...Array.from({ length: many - 1 }, () => refused),
]

/** A server id that starts with a letter of a to f. */
const idOf = (letter: string, n: number) => letter + String(n).padStart(15, '0')

describe('many writes at once', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
    await createOrganization(rollcall, 'theirs')
  })
  after(() => rollcall.close())

  const create = (file: object, headers = {}) => rollcall.admin('POST', '/servers', file, headers)
  const times = <T>(many: number, work: (n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: many }, (_, n) => work(n)))

  it('lands every one of fifty tools, each a revision of its own', async () => {
    const { id, endpoint } = await createServer(rollcall, serverFile('Busy', [tool('first')]))
    const first = await revisionOf(rollcall, id)
    const made = await times(50, (n) =>
      rollcall.admin('POST', `/servers/${id}/tools`, tool(`t${n}`)),
    )
    assert.deepEqual(
      statusesOf(made),
      Array.from({ length: 50 }, () => 201),
    )
    assert.equal(new Set(made.map(({ headers }) => headers.get('etag'))).size, 50)
    assert.equal(await revisionOf(rollcall, id), first + 50)
    const names = await toolNames(rollcall, id)
    assert.equal(new Set(names).size, 51)
    assert.deepEqual(await listedNames(rollcall, endpoint), names)
    const { publishedRevision, toolCount } = await untilPublished(rollcall, id)
    assert.deepEqual([publishedRevision, toolCount], [first + 50, 51])
  })

  it('makes a tool of one name once', async () => {
    const { id } = await createServer(rollcall, serverFile('Once'))
    const path = `/servers/${id}/tools`
    const made = await times(10, (n) => rollcall.admin('POST', path, tool('a', { title: `${n}` })))
    assert.deepEqual(statusesOf(made), onlyOne(201, 409, 10))
    assert.equal(await revisionOf(rollcall, id), 2)
  })

  it('gives a slug that was asked for to one server', async () => {
    const made = await times(10, (n) => create(serverFile(`S${n}`, [], { slug: 'contested' })))
    assert.deepEqual(statusesOf(made), onlyOne(201, 409, 10))
    const codes = made.filter(({ status }) => status === 409).map(({ json }) => json.error.code)
    assert.deepEqual(new Set(codes), new Set(['slug_taken']))
    const { json } = await rollcall.admin('GET', '/servers?limit=1000')
    const holders = json.items.filter(({ slug }: { slug: string }) => slug === 'contested')
    assert.equal(holders.length, 1)
  })

  // The free slug was chosen before the wait for the Directory, and not once more after it.
  it('gives each of many servers of one name a slug of its own', async () => {
    const made = await times(6, () => create(serverFile('Namesake')))
    assert.deepEqual(
      statusesOf(made),
      Array.from({ length: 6 }, () => 201),
    )
    assert.equal(new Set(made.map(({ json }) => json.slug)).size, 6)
  })

  // Whether the id is free was asked before that wait: the last to come replaced the others.
  it('makes a server of one id once', async () => {
    await times(8, async (id) => {
      const made = await times(5, (n) =>
        create(serverFile(`Only ${n}`, [], { id: idOf('c', id), slug: `only-${id}-${n}` })),
      )
      assert.deepEqual(statusesOf(made), onlyOne(201, 409, 5))
      const winner = made.find(({ status }) => status === 201)
      const { json } = await rollcall.admin('GET', `/servers/${idOf('c', id)}`)
      assert.deepEqual([json.name, json.revision], [winner?.json.name, 1])
    })
  })

  // The same for PUT: each of them said that it had made the server.
  it('says of one of many who put the same server that it made it', async () => {
    await times(8, async (id) => {
      const path = `/servers/${idOf('d', id)}`
      const put = await times(5, (n) =>
        rollcall.admin('PUT', path, serverFile(`Put ${n}`, [], { slug: `put-${id}` })),
      )
      assert.deepEqual(statusesOf(put), [200, 200, 200, 200, 201])
    })
  })

  it('gives a vanity slug to one of two organizations', async () => {
    for (let round = 0; round < 5; round++) {
      const file = serverFile('Vain', [], { slug: `vain-${round}`, vanity: true })
      const made = await Promise.all([create(file), create(file, THEIRS)])
      assert.deepEqual(statusesOf(made), [201, 409])
      const lost = made.find(({ status }) => status === 409)
      assert.equal(lost?.json.error.code, 'vanity_slug_taken')
    }
  })

  it('gives a server id to one of two organizations', async () => {
    const path = '/servers/00000000000000c3'
    const put = await Promise.all([
      rollcall.admin('PUT', path, serverFile('Ours')),
      rollcall.admin('PUT', path, serverFile('Theirs'), THEIRS),
    ])
    assert.deepEqual(statusesOf(put), [201, 409])
  })

  it('leaves a server whole, made or deleted, after many of both', async () => {
    const path = '/servers/00000000000000c4'
    const file = serverFile('Flicker', [tool('a'), tool('b')], { slug: 'flicker', vanity: true })
    const answers = await times(20, (n) =>
      n % 2 === 0 ? rollcall.admin('PUT', path, file) : rollcall.admin('DELETE', path),
    )
    for (const { status, text } of answers) {
      assert.ok([200, 201, 204, 404, 409].includes(status), `${status} ${text}`)
    }
    assert.ok((await rollcall.admin('PUT', path, file)).status < 300)
    assert.deepEqual(await listedNames(rollcall, '/mcp/flicker'), ['a', 'b'])
    const { revision, publishedRevision } = await untilPublished(rollcall, '00000000000000c4')
    assert.equal(revision, publishedRevision)
    const taken = await create({ ...file, id: undefined }, THEIRS)
    assert.equal(taken.json.error.code, 'vanity_slug_taken')
  })

  it('keeps an order that is whole after many reorderings', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `t${n}`)
    const file = serverFile(
      'Shuffled',
      names.map((name) => tool(name)),
    )
    const { id, endpoint } = await createServer(rollcall, file)
    await times(12, (n) =>
      rollcall.admin('POST', `/servers/${id}/tools/reorder`, {
        names: names.slice(n).toReversed(),
      }),
    )
    const order = await toolNames(rollcall, id)
    assert.deepEqual(order.toSorted(), names.toSorted())
    assert.deepEqual(await listedNames(rollcall, endpoint), order)
  })
})
