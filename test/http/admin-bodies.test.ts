import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { createServer, refusal, revisionOf, wrongFields } from '../support/admin.ts'
import { OPERATOR_TOKEN, startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const MIB = 1024 * 1024
const MAX_BODY_BYTES = 32 * MIB

/** JSON that nests an array so many times. */
const nested = (depth: number, inside: string) => '['.repeat(depth) + inside + ']'.repeat(depth)

describe('bodies of the admin API', () => {
  let rollcall: Rollcall
  let path: string
  let id: string
  before(async () => {
    rollcall = await startRollcall()
    id = (await createServer(rollcall, serverFile('Body', [tool('a')]))).id
    path = `/servers/${id}`
  })
  after(() => rollcall.close())

  const create = (body: unknown, headers = {}) => rollcall.admin('POST', '/servers', body, headers)

  it('answers 415 to every body that does not say it is JSON', async () => {
    const writes: [method: string, path: string][] = [
      ['POST', '/servers'],
      ['POST', '/servers/import'],
      ['PUT', path],
      ['PATCH', path],
      ['POST', `${path}/rollback`],
      ['POST', `${path}/tools`],
      ['PUT', `${path}/tools/a`],
      ['PATCH', `${path}/tools/a`],
      ['POST', `${path}/tools/reorder`],
      ['POST', '/keys'],
      ['PUT', '/secrets/s'],
      ['POST', '/organizations'],
    ]
    for (const [method, at] of writes) {
      const answer = await rollcall.admin(method, at, '{}', { 'content-type': 'text/plain' })
      const expected = { status: 415, code: 'unsupported_media_type' }
      assert.deepEqual(refusal(answer), expected, `${method} ${at}`)
    }
    for (const type of [
      'application/jsonp',
      'text/json; a=application/json',
      'multipart/form-data',
    ]) {
      assert.equal((await create('{}', { 'content-type': type })).status, 415, type)
    }
  })

  it('reads JSON whatever parameters and letters its media type has', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
      const answer = await create(serverFile('Typed'), { 'content-type': type })
      assert.equal(answer.status, 201, type)
    }
  })

  it('answers 400 to a body that is not JSON', async () => {
    for (const body of ['', '{', '{"name":"x"', '{"name":"x"} trailing', "{'name':'x'}", 'NaN']) {
      assert.deepEqual(refusal(await create(body)), { status: 400, code: 'invalid_json' }, body)
    }
  })

  it('answers 400 to a body that is not UTF-8', async () => {
    const answer = await rollcall.send('/api/v1/servers', {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: Buffer.from('{"name":"caf\xe9"}', 'latin1'),
    })
    assert.deepEqual(refusal(answer), { status: 400, code: 'invalid_json' })
  })

  it('answers 422 to JSON that is no object', async () => {
    for (const body of ['null', '[]', '"text"', '7', 'true']) {
      assert.deepEqual(refusal(await create(body)), { status: 422, code: 'invalid' }, body)
    }
  })

  it('names every wrong field at once, settings and tools together', async () => {
    const answer = await create({
      name: '',
      slug: 'Not A Slug',
      status: 'asleep',
      ttlMs: -1,
      origins: ['https://fine.example', 'https://has.a/path'],
      surprise: true,
      tools: [
        tool('fine'),
        tool('bad name'),
        { name: 'bare' },
        tool('wrong', { inputSchema: { type: 'array' }, status: 'draft', sortOrder: 1.5 }),
        tool('fine'),
        'not a tool',
        tool('unhandled', { handler: { kind: 'static', result: { content: [{ type: 'film' }] } } }),
      ],
    })
    assert.deepEqual(
      wrongFields(answer).toSorted(),
      [
        'name',
        'origins[1]',
        'slug',
        'status',
        'surprise',
        'tools[1].name',
        'tools[2].handler',
        'tools[2].inputSchema',
        'tools[3].inputSchema.type',
        'tools[3].sortOrder',
        'tools[3].status',
        'tools[4].name',
        'tools[5]',
        'tools[6].handler.result.content[0].type',
        'ttlMs',
      ].toSorted(),
    )
    for (const { message } of answer.json.error.details) assert.match(message, /^\S/)
  })

  // Every wrong type was called missing.
  it('says in words what is wrong with a field', async () => {
    const { json } = await create({ tools: 'none', ttlMs: 'soon', auth: 'maybe' })
    assert.deepEqual(
      Object.fromEntries(
        json.error.details.map((detail: { path: string; message: string }) => [
          detail.path,
          detail.message,
        ]),
      ),
      {
        name: 'is missing',
        auth: 'must be "none" or "key" or "oauth"',
        ttlMs: 'must be a number',
        tools: 'must be an array',
      },
    )
  })

  it('names at most a hundred of very many wrong tools', async () => {
    const answer = await create(
      serverFile(
        'Many',
        Array.from({ length: 500 }, () => ({})),
      ),
    )
    assert.equal(wrongFields(answer).length, 100)
  })

  it('refuses the slug that the gateway needs, and settings out of bounds', async () => {
    const wrong: object[] = [
      { slug: 'env' },
      { slug: '' },
      { slug: '-a' },
      { slug: 'a'.repeat(65) },
      { vanity: 'yes' },
      { rateLimit: 0 },
      { rateLimit: 6001 },
      { pageSize: 0 },
      { ttlMs: 86_400_001 },
      { description: 'd'.repeat(10_001) },
      { id: 'short' },
      { origins: ['*'] },
    ]
    for (const members of wrong) {
      const fields = wrongFields(await create(serverFile('Wrong', [], members)))
      const [member] = Object.keys(members)
      assert.deepEqual(fields, [member === 'origins' ? 'origins[0]' : member])
    }
  })

  it('refuses a number that JavaScript would change, and keeps those it would not', async () => {
    const withNumber = (number: string) =>
      JSON.stringify(serverFile('Numbers', [tool('n', { vendor: 'HERE' })])).replace(
        '"HERE"',
        number,
      )
    const changed = ['9007199254740993', '-12345678901234567890', '1e400', '0.12345678901234567891']
    for (const number of changed) {
      const answer = await create(withNumber(number))
      assert.equal(wrongFields(answer).length, 1, number)
      assert.match(answer.text, new RegExp(number.replace('.', '\\.')), number)
    }
    for (const number of ['9007199254740992', '1e300', '0.1', '1.50', '-0.000001', '123e-2']) {
      const made = await create(withNumber(number))
      assert.equal(made.status, 201, made.text)
      const { json } = await rollcall.admin('GET', `/servers/${made.json.id}/tools/n`)
      assert.equal(json.vendor, Number(number))
    }
  })

  // Only the last member was named: in a file of a thousand tools nobody finds it.
  it('names a number that would be changed by its whole path', async () => {
    const inputSchema = '{"type":"object","properties":{"n":{"type":"integer","maximum":1e999}}}'
    const body = JSON.stringify(serverFile('Path', [tool('a'), tool('b', { inputSchema: 'HERE' })]))
    const answer = await create(body.replace('"HERE"', inputSchema))
    assert.deepEqual(wrongFields(answer), ['tools[1].inputSchema.properties.n.maximum'])
  })

  it('refuses a tool that nests too deep, or is too large', async () => {
    const deep = (depth: number) => `{"name":"Deep","tools":[${toolWith(nested(depth, ''))}]}`
    const toolWith = (vendor: string) =>
      JSON.stringify(tool('t')).replace(/}$/, `,"vendor":${vendor}}`)
    assert.equal((await create(deep(60))).status, 201)
    for (const depth of [70, 100_000]) {
      assert.deepEqual(wrongFields(await create(deep(depth))), ['tools[0]'], String(depth))
    }
    const large = (size: number) =>
      serverFile('Large', [tool('t', { description: 'd'.repeat(size) })])
    assert.equal((await create(large(MIB - 1000))).status, 201)
    assert.deepEqual(wrongFields(await create(large(MIB))), ['tools[0]'])
    const schema = { type: 'object', description: 's'.repeat(256 * 1024) }
    const answer = await create(serverFile('Large', [tool('t', { inputSchema: schema })]))
    assert.deepEqual(wrongFields(answer), ['tools[0].inputSchema'])
  })

  // The search for lossy numbers goes by recursion, and so does the way to the object: a 500 each.
  const depths = nested(100_000, '')
  const deeply: [what: string, method: string, part: string, body: string][] = [
    ['a setting', 'PATCH', '', `{"name":${depths}}`],
    ['a setting with a number in it', 'PATCH', '', `{"name":${nested(100_000, '1e5')}}`],
    ['a tool that is put', 'PUT', '/tools/a', `{"vendor":${depths}}`],
    ['a tool that is patched', 'PATCH', '/tools/a', `{"vendor":${depths}}`],
  ]
  for (const [what, method, part, body] of deeply) {
    it(`answers 422 to ${what} where it nests a hundred thousand deep`, async () => {
      const answer = await rollcall.admin(method, path + part, body)
      assert.deepEqual(refusal(answer), { status: 422, code: 'invalid' })
    })
  }

  it('refuses a body over 32 MiB, announced or not', async () => {
    const expected = { status: 413, code: 'body_too_large' }
    assert.deepEqual(refusal(await create('x'.repeat(MAX_BODY_BYTES + 1))), expected)
    const chunk = new Uint8Array(4 * MIB).fill(32)
    const chunks = Array.from({ length: 9 }, () => chunk)
    const answer = await rollcall.send('/api/v1/servers', {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: Readable.toWeb(Readable.from(chunks)),
      duplex: 'half',
    } as RequestInit)
    assert.deepEqual(refusal(answer), expected)
  })

  it('has changed nothing by all that it refused', async () => {
    assert.equal(await revisionOf(rollcall, id), 1)
  })
})
