import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createOrganization,
  createServer,
  inOrganization,
  listedNames,
  refusal,
} from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { LIST } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const OTHER = inOrganization('other')
const TAKEN = { status: 409, code: 'vanity_slug_taken' }
const NOTHING = { status: 404, code: 'endpoint_not_found' }

describe('vanity slugs', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
    await createOrganization(rollcall, 'other')
  })
  after(() => rollcall.close())

  const vain = (slug: string, name = slug) => serverFile(name, [tool(name)], { slug, vanity: true })
  const create = (file: object, headers = {}) => rollcall.admin('POST', '/servers', file, headers)
  const patch = (id: string, body: object, headers = {}) =>
    rollcall.admin('PATCH', `/servers/${id}`, body, headers)

  /** Makes the server in the other organization as soon as its slug is free. */
  const createWhenFree = async (slug: string) => {
    const { json } = await eventually(
      () => create(vain(slug, 'theirs'), OTHER),
      ({ status }) => status !== 409,
    )
    return json
  }

  it('serves a vanity server at its slug alone, and at its whole path', async () => {
    const { id, endpoint } = await createServer(rollcall, vain('both'))
    assert.equal(endpoint, '/mcp/both')
    assert.deepEqual(await listedNames(rollcall, '/mcp/both'), ['both'])
    assert.deepEqual(await listedNames(rollcall, `/mcp/both/${id}`), ['both'])
  })

  it('answers nothing at the slug of a server that is not vain', async () => {
    const { id, endpoint } = await createServer(rollcall, serverFile('Plain', [tool('a')]))
    assert.equal(endpoint, `/mcp/plain/${id}`)
    assert.deepEqual(refusal(await rollcall.post('/mcp/plain', LIST)), NOTHING)
    assert.deepEqual(await listedNames(rollcall, endpoint), ['a'])
  })

  it('answers nothing at the slug as soon as a server is vain no longer', async () => {
    const { id } = await createServer(rollcall, vain('modest'))
    assert.deepEqual(await listedNames(rollcall, '/mcp/modest'), ['modest'])
    const { json } = await patch(id, { vanity: false })
    assert.equal(json.endpoint, `/mcp/modest/${id}`)
    assert.deepEqual(refusal(await rollcall.post('/mcp/modest', LIST)), NOTHING)
    assert.deepEqual(await listedNames(rollcall, json.endpoint), ['modest'])
  })

  // "Nothing there" was remembered for ten seconds, over the write that put something there.
  it('serves a slug at once where somebody had asked for it in vain', async () => {
    const { id } = await createServer(rollcall, serverFile('Asked', [tool('a')]))
    assert.deepEqual(refusal(await rollcall.post('/mcp/asked', LIST)), NOTHING)
    assert.equal((await patch(id, { vanity: true })).status, 200)
    assert.deepEqual(await listedNames(rollcall, '/mcp/asked'), ['a'])
  })

  it('lets one organization hold a vanity slug', async () => {
    await createServer(rollcall, vain('held'))
    assert.deepEqual(refusal(await create(vain('held'), OTHER)), TAKEN)
    const plain = await createServer(rollcall, serverFile('Held', [tool('a')]), OTHER)
    assert.equal(plain.slug, 'held')
    assert.deepEqual(refusal(await patch(plain.id, { vanity: true }, OTHER)), TAKEN)
    const id = '00000000000000e1'
    const put = await rollcall.admin('PUT', `/servers/${id}`, vain('held'), OTHER)
    assert.deepEqual(refusal(put), TAKEN)
    assert.equal((await rollcall.admin('GET', `/servers/${id}`, undefined, OTHER)).status, 404)
    assert.deepEqual(await listedNames(rollcall, '/mcp/held'), ['held'])
  })

  it('leaves nothing claimed of a server that could not be made', async () => {
    const id = '00000000000000e2'
    const file = { ...vain('held'), id }
    assert.deepEqual(refusal(await create(file, OTHER)), TAKEN)
    const here = await eventually(
      () => create(serverFile('Here', [], { id })),
      ({ status }) => status !== 409,
    )
    assert.equal(here.status, 201, here.text)
  })

  it('frees a slug when its server is deleted', async () => {
    const { id } = await createServer(rollcall, vain('freed'))
    assert.deepEqual(await listedNames(rollcall, '/mcp/freed'), ['freed'])
    await rollcall.admin('DELETE', `/servers/${id}`)
    assert.deepEqual(refusal(await rollcall.post('/mcp/freed', LIST)), NOTHING)
    const theirs = await createWhenFree('freed')
    await eventually(
      () => rollcall.post('/mcp/freed', LIST),
      ({ status }) => status === 200,
    )
    assert.deepEqual(await listedNames(rollcall, theirs.endpoint), ['theirs'])
  })

  it('frees a slug when its server takes another, or is vain no longer', async () => {
    const freed = async (slug: string, change: object) => {
      const { id } = await createServer(rollcall, vain(slug))
      assert.equal((await patch(id, change)).status, 200)
      assert.equal((await createWhenFree(slug)).endpoint, `/mcp/${slug}`)
    }
    await Promise.all([
      freed('moved-on', { slug: 'elsewhere' }),
      freed('given-up', { vanity: false }),
    ])
  })

  it('lets a slug go to another server of the same organization at once', async () => {
    const first = await createServer(rollcall, vain('passed', 'first'))
    await rollcall.admin('DELETE', `/servers/${first.id}`)
    await createServer(rollcall, vain('passed', 'second'))
    await eventually(
      () => rollcall.post('/mcp/passed', LIST),
      ({ status }) => status === 200,
    )
    assert.deepEqual(await listedNames(rollcall, '/mcp/passed'), ['second'])
    assert.deepEqual(refusal(await create(vain('passed'), OTHER)), TAKEN)
  })

  // Names were compared without their kind: the id, which is kept, hid the slug, which is not.
  it('frees a slug that reads like the id of its server', async () => {
    const id = '00000000000000e3'
    await createServer(rollcall, { ...vain(id, 'own'), id })
    assert.equal((await patch(id, { vanity: false })).status, 200)
    assert.equal((await createWhenFree(id)).endpoint, `/mcp/${id}`)
  })
})
