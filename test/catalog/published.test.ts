import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KINDS } from '../../src/catalog/item.ts'
import {
  formatTombstone,
  parsePublished,
  UnreadablePublished,
} from '../../src/catalog/published.ts'
import { parseServerFile } from '../../src/catalog/server-file.ts'
import { encodeUtf8 } from '../../src/protocol/bytes.ts'
import { ORGANIZATION, publishedBytes, readPublished, SERVER_ID } from '../support/catalogs.ts'
import { prompt, resource, serverFile, template, tool } from '../support/servers.ts'

const TOOLS = [tool('a', { description: 'ü\u2028\n' }), tool('b', { title: 'B' }), tool('c')]
const FILE = serverFile('Grüße', TOOLS, {
  prompts: [prompt('語', { title: 'P', completions: { a: ['ü'] } }), prompt('q')],
  resources: [resource('file:///ü\u2028', { icons: [], text: '\n' })],
  resourceTemplates: [template('x:{a}', { text: undefined, blob: 'AAAA' }), template('{+y}')],
})
const VALUE = publishedBytes(FILE, 7)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const [HEADER = '', ...REST] = decode(VALUE).split('\n')
const withHeader = (change: (header: Record<string, unknown>) => void) => {
  const header = JSON.parse(HEADER)
  change(header)
  return encodeUtf8([JSON.stringify(header), ...REST].join('\n'))
}
const withItems = (change: (items: Record<string, unknown[]>) => void) =>
  withHeader(({ items }) => change(items as Record<string, unknown[]>))

describe('a published value', () => {
  it('reads back with everything it was made of', () => {
    const published = readPublished(VALUE)
    const { settings, items } = parseServerFile(FILE)
    assert.deepEqual(
      [published.organization, published.id, published.revision, published.settings],
      [ORGANIZATION, SERVER_ID, 7, settings],
    )
    const slice = ({ start, end }: { start: number; end: number }) =>
      decode(VALUE.subarray(start, end))
    assert.deepEqual(Object.keys(published.lists), KINDS)
    for (const kind of KINDS) {
      const ofKind = items.filter((item) => item.kind === kind)
      const list = published.lists[kind]
      assert.ok(list.list)
      assert.deepEqual(
        list.items.map(({ name, definition, binding }) => [
          name,
          slice(definition),
          slice(binding),
        ]),
        ofKind.map(({ name, definition, binding }) => [name, definition, binding]),
      )
      assert.equal(
        slice(list.list),
        `{"${kind}":[${ofKind.map(({ definition }) => definition).join(',')}]`,
      )
    }
  })

  it('says which revisions list an item otherwise', () => {
    const differing = KINDS.map((kind) =>
      readPublished(VALUE).lists[kind].items.map((item) => item.differing),
    )
    assert.deepEqual(differing, [[0, 0b11, 0], [0b11, 0], [0b111], [0, 0]])
  })

  it('keeps apart what has one name in two kinds', () => {
    const file = serverFile('One', [tool('a')], { prompts: [prompt('a')] })
    const { tools, prompts, resources } = readPublished(publishedBytes(file)).lists
    assert.deepEqual([tools.items[0]?.name, prompts.items[0]?.name], ['a', 'a'])
    assert.notDeepEqual(tools.items[0]?.binding, prompts.items[0]?.binding)
    assert.equal(resources.items.length, 0)
  })

  const logs = { steps: [{ log: { level: 'info', data: 1 } }] }
  const waits = { steps: [{ waitMs: 1 }] }
  const withSteps = (steps: object, members: object = {}) =>
    tool('a', { handler: { kind: 'static', result: { content: [] }, ...steps }, ...members })
  const completions = { a: ['x'] }
  const features: [string, object, { logging: boolean; completions: boolean }][] = [
    ['nothing', serverFile('One'), { logging: false, completions: false }],
    [
      'a tool that logs',
      serverFile('One', [withSteps(logs)]),
      { logging: true, completions: false },
    ],
    [
      'a paused tool that logs',
      serverFile('One', [withSteps(logs, { status: 'paused' })]),
      { logging: true, completions: false },
    ],
    [
      'a tool that waits',
      serverFile('One', [withSteps(waits)]),
      { logging: false, completions: false },
    ],
    [
      'a tool with a member called completions',
      serverFile('One', [tool('a', { completions })]),
      { logging: false, completions: false },
    ],
    [
      'a prompt with completions',
      serverFile('One', [], { prompts: [prompt('p', { completions })] }),
      { logging: false, completions: true },
    ],
    [
      'a template with completions',
      serverFile('One', [], { resourceTemplates: [template('x:{a}', { completions })] }),
      { logging: false, completions: true },
    ],
    [
      'a paused prompt with completions',
      serverFile('One', [], { prompts: [prompt('p', { completions, status: 'paused' })] }),
      { logging: false, completions: true },
    ],
    [
      'prompts and resources without',
      serverFile('One', [], { prompts: [prompt('p')], resources: [resource('x:')] }),
      { logging: false, completions: false },
    ],
  ]
  for (const [what, file, expected] of features) {
    it(`knows the features of a server with ${what}`, () => {
      const { logging, completions: completing } = readPublished(publishedBytes(file)).features
      assert.deepEqual({ logging, completions: completing }, expected)
    })
  }

  it('of no tools reads back as an empty list', () => {
    const value = publishedBytes(serverFile('One'))
    const { items: tools, list } = readPublished(value).lists.tools
    assert.equal(tools.length, 0)
    assert.ok(list)
    assert.equal(decode(value.subarray(list.start, list.end)), '{"tools":[]')
  })

  it('of the same server is the same bytes', () => {
    assert.deepEqual(publishedBytes(FILE, 7), VALUE)
  })

  it('of a tool without a word of ASCII reads back', () => {
    const value = publishedBytes(serverFile('語', [tool('a', { description: '語'.repeat(1000) })]))
    const [first] = readPublished(value).lists.tools.items
    assert.ok(first)
    assert.match(decode(value.subarray(first.definition.start, first.definition.end)), /^\{.*語"/)
  })

  it('takes a setting of a later writer', () => {
    const value = withHeader((header) => Object.assign(header['settings'] ?? {}, { later: 1 }))
    assert.equal('later' in readPublished(value).settings, false)
  })
})

describe('a tombstone', () => {
  const gone = { organization: ORGANIZATION, id: SERVER_ID, revision: 8 }
  const value = formatTombstone(gone)

  it('reads back as one', () => {
    const { format: _, ...read } = { ...(parsePublished(value) as object), format: 1 }
    assert.deepEqual(read, { ...gone, deleted: true })
  })

  it('is unreadable when it is cut', () => {
    for (let end = 0; end < value.length; end++) {
      assert.throws(() => parsePublished(value.slice(0, end)), UnreadablePublished)
    }
  })
})

describe('an unreadable value', () => {
  it('is one cut anywhere', () => {
    for (let end = 0; end < VALUE.length; end++) {
      assert.throws(() => parsePublished(VALUE.slice(0, end)), UnreadablePublished, `at ${end}`)
    }
  })

  it('is one that goes on', () => {
    assert.throws(() => parsePublished(encodeUtf8(`${decode(VALUE)}x`)), UnreadablePublished)
  })

  const garbled: [string, Uint8Array<ArrayBuffer>][] = [
    ['nothing', encodeUtf8('')],
    ['a line end', encodeUtf8('\n')],
    ['JSON of something else', encodeUtf8('{"server":"a"}\n')],
    ['text', encodeUtf8('<html>\n</html>\n')],
    ['bytes that are no text', new Uint8Array([255, 254, 10, 0])],
    ['another format', withHeader((header) => (header['format'] = 2))],
    ['a revision that is text', withHeader((header) => (header['revision'] = '7'))],
    ['no organization', withHeader((header) => delete header['organization'])],
    ['no settings', withHeader((header) => delete header['settings'])],
    [
      'a setting it cannot obey',
      withHeader((header) => Object.assign(header['settings'] ?? {}, { auth: 'basic' })),
    ],
    ['no features', withHeader((header) => delete header['features'])],
    ['no items', withHeader((header) => delete header['items'])],
    ['no tools', withItems((items) => delete items['tools'])],
    ['no prompts', withItems((items) => delete items['prompts'])],
    ['tools that are an object', withItems((items) => Object.assign(items, { tools: {} }))],
    ['a length that is text', withItems((items) => (items['tools'] = ['a', 'x', 1, 0]))],
    ['a length that is missing', withItems((items) => (items['tools'] = ['a']))],
    ['a tool fewer', withItems((items) => items['tools']?.splice(0, 4))],
    ['a prompt more', withItems((items) => (items['prompts'] = ['a', 2, 2, 0]))],
  ]
  for (const [what, bytes] of garbled) {
    it(`is one of ${what}`, () => {
      assert.throws(() => parsePublished(bytes), UnreadablePublished)
    })
  }
})
