import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatServerFile, MAX_TOOLS, parseServerFile } from '../../src/catalog/server-file.ts'
import { ServerSettings } from '../../src/catalog/server.ts'
import { HttpError, type Detail } from '../../src/protocol/http-error.ts'
import { SERVER_ID } from '../support/catalogs.ts'
import { serverFile, tool } from '../support/servers.ts'

/** What a file is refused for: a line for each wrong field. */
function wrong(value: unknown): string[] {
  try {
    parseServerFile(value)
  } catch (error) {
    assert.ok(error instanceof HttpError && error.status === 422)
    return (error.details ?? []).map(({ path, message }: Detail) => `${path} ${message}`.trim())
  }
  return []
}

const withTools = (...tools: unknown[]) => ({ name: 'One', tools })

describe('parseServerFile', () => {
  it('reads the least a file may say', () => {
    assert.deepEqual(parseServerFile({ name: 'My Tools' }), {
      id: undefined,
      settings: ServerSettings.parse({ name: 'My Tools', slug: 'my-tools' }),
      slugIsDerived: true,
      items: [],
    })
  })

  it('keeps a slug and an id that are given', () => {
    const file = parseServerFile({ id: SERVER_ID, name: 'One', slug: 'uno' })
    assert.deepEqual([file.id, file.settings.slug, file.slugIsDerived], [SERVER_ID, 'uno', false])
  })

  it('orders tools by the array where they say nothing', () => {
    const file = serverFile('One', [tool('a'), tool('b', { sortOrder: 9 }), tool('c')])
    const order = parseServerFile(file).items.map(({ name, sortOrder }) => [name, sortOrder])
    assert.deepEqual(order, [
      ['a', 0],
      ['b', 9],
      ['c', 2],
    ])
  })

  it('names a wrong field of a tool by its path', () => {
    const array = tool('d', { inputSchema: { type: 'array' } })
    const lines = wrong(withTools(tool('a'), tool('b'), tool('c'), array))
    assert.deepEqual(lines, ['tools[3].inputSchema.type must be "object"'])
  })

  it('names every wrong field of the file and of each tool at once', () => {
    const lines = wrong({
      id: 'x',
      slug: 'env',
      pageSize: 0,
      colour: 'red',
      tools: [
        { name: 'a b', inputSchema: {} },
        tool('b', { status: 'gone', sortOrder: -1, handler: { kind: 'ftp' } }),
        tool('c', { handler: { kind: 'static', result: { content: [{ type: 'text' }] }, x: 1 } }),
      ],
    })
    assert.deepEqual(lines.toSorted(), [
      'colour is not a known member',
      'id must be 16 lower-case hex digits',
      'name is missing',
      'pageSize must be at least 1',
      'slug is reserved',
      'tools[0].handler is missing',
      'tools[0].inputSchema.type must be "object"',
      'tools[0].name must be 1 to 64 of A-Z, a-z, 0-9, _, . and -',
      'tools[1].handler.kind must be "static" or "http" or "mcp"',
      'tools[1].sortOrder must be at least 0',
      'tools[1].status must be "active" or "paused"',
      'tools[2].handler.result.content[0].text is missing',
      'tools[2].handler.x is not a known member',
    ])
  })

  // A field that is there, but of another type, is not "missing".
  const types: [string, unknown, string][] = [
    ['text for a number', { name: 'One', pageSize: '5' }, 'pageSize must be an integer'],
    ['a number for text', { name: 5 }, 'name must be a string'],
    ['null for text', { name: null }, 'name must be a string'],
    ['a fraction for an integer', { name: 'One', ttlMs: 1.5 }, 'ttlMs must be an integer'],
    ['an object for tools', { name: 'One', tools: {} }, 'tools must be an array'],
    ['null for a tool', withTools(null), 'tools[0] must be an object'],
    [
      'text for a description',
      withTools(tool('a', { description: 1 })),
      'tools[0].description must be a string',
    ],
    [
      'null for a schema',
      withTools(tool('a', { inputSchema: null })),
      'tools[0].inputSchema must be an object',
    ],
    ['an array for a file', [], 'must be an object'],
  ]
  for (const [what, file, line] of types) {
    it(`says what must stand there: ${what}`, () => {
      assert.deepEqual(
        wrong(file).map((told) =>
          told.replace('a number', 'an integer').replace('a object', 'an object'),
        ),
        [line],
      )
    })
  }

  it('names a tool that stands twice, at the second', () => {
    const lines = wrong(withTools(tool('a'), tool('b'), tool('a'), tool('A')))
    assert.deepEqual(lines, ['tools[2].name "a" stands twice'])
  })

  it('tells a hundred wrong fields at most, and how many there are', () => {
    const tools = Array.from({ length: 500 }, () => ({}))
    assert.throws(
      () => parseServerFile(withTools(...tools)),
      (error: HttpError) => {
        assert.equal(error.details?.length, 100)
        assert.match(error.message, /and 1499 more$/)
        return true
      },
    )
  })

  it('refuses more tools than a server may have', () => {
    const tools = Array.from({ length: MAX_TOOLS + 1 }, () => 0)
    assert.ok(wrong(withTools(...tools)).includes(`tools must be at most ${MAX_TOOLS} items`))
  })
})

describe('formatServerFile', () => {
  const roundTrip = (file: object) => {
    const { settings, items } = parseServerFile(file)
    return formatServerFile(SERVER_ID, settings, items)
  }

  it('writes the id, the settings, and tools with MCP’s members first', () => {
    assert.equal(
      roundTrip(serverFile('One', [tool('a', { title: 'A', 'x-own': [1] })], { pageSize: 5 })),
      '{"id":"a1b2c3d4e5f6a1b2","name":"One","status":"active","auth":"none","vanity":false,' +
        '"pageSize":5,"ttlMs":30000,"notifications":true,"sessionIdleSeconds":3600,"slug":"one","tools":[{"name":"a","description":"The tool a",' +
        '"inputSchema":{"type":"object"},"title":"A","x-own":[1],"status":"active",' +
        '"handler":{"kind":"static","result":{"content":[{"type":"text","text":"a ran"}]}}}]}',
    )
  })

  const files: [string, object][] = [
    ['no tools', serverFile('One')],
    [
      'paused tools and ties in the order',
      serverFile('One', [
        tool('b', { sortOrder: 5, status: 'paused' }),
        tool('a', { sortOrder: 5 }),
        tool('c', { sortOrder: 2 }),
        tool('d'),
      ]),
    ],
    [
      'every setting',
      serverFile('One', [], {
        slug: 'uno',
        description: 'd',
        instructions: 'i\u2028',
        status: 'draft',
        auth: 'key',
        vanity: true,
        origins: ['null'],
        rateLimit: 5,
        pageSize: 2,
        ttlMs: 0,
      }),
    ],
    [
      'what a tool requires, and members nobody knows',
      serverFile('One', [
        tool('a', { requires: { elicitation: { form: {} } }, _meta: { 'x/y': null }, later: null }),
      ]),
    ],
  ]
  for (const [what, file] of files) {
    it(`writes ${what} so that it reads back the same`, () => {
      const text = roundTrip(file)
      const { id, settings, items } = parseServerFile(JSON.parse(text))
      assert.equal(id, SERVER_ID)
      const before = parseServerFile(file)
      assert.deepEqual([settings, items], [before.settings, before.items])
      assert.equal(formatServerFile(SERVER_ID, settings, items), text)
    })
  }
})
