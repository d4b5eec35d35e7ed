import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Catalog } from '../../src/catalog/catalog.ts'
import { KINDS } from '../../src/catalog/item.ts'
import { projectItem } from '../../src/catalog/project-item.ts'
import { parseServerFile } from '../../src/catalog/server-file.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { REVISIONS } from '../../src/protocol/revisions.ts'
import { catalogOf, publishedBytes, readPublished } from '../support/catalogs.ts'
import { prompt, resource, serverFile, template, tool } from '../support/servers.ts'

const RICH = [
  tool('a', { title: 'A', description: 'ü\u2028👩‍👧' }),
  tool('b', { execution: { taskSupport: 'optional' }, icons: [{ src: 'data:,' }] }),
  tool('c', { outputSchema: { type: 'array' }, _meta: { x: [null] } }),
  tool('d'),
]
const PLAIN = [tool('a'), tool('b'), tool('c'), tool('d')]
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const select = (...names: string[]) => ({
  key: names.join(','),
  includes: (name: string) => names.includes(name),
})

describe('Catalog.list', () => {
  const selections = [
    undefined,
    select(),
    select('a'),
    select('b', 'd'),
    select('c', 'a', 'none'),
    select('a', 'b', 'c', 'd'),
  ]
  for (const [what, tools] of [
    ['plain', PLAIN],
    ['differing', RICH],
    ['no', []],
  ] as const) {
    for (const revision of REVISIONS) {
      for (const selection of selections) {
        it(`of ${what} tools for ${revision} and ${selection?.key ?? 'all'} is the JSON of the projected tools`, () => {
          const file = serverFile('One', tools)
          const expected = parseServerFile(file)
            .items.filter(({ name }) => selection?.includes(name) ?? true)
            .map(({ definition }) => projectItem('tools', JSON.parse(definition), revision))
          const list = catalogOf(file).list('tools', revision, selection)
          assert.equal(decode(list), JSON.stringify({ tools: expected }).slice(0, -1))
        })
      }
    }
  }

  it('§9.2 #47: is the same bytes each time, and in another isolate', () => {
    const file = serverFile('One', RICH)
    const catalog = catalogOf(file)
    for (const revision of REVISIONS) {
      const first = catalog.list('tools', revision, select('a', 'c'))
      assert.deepEqual(catalog.list('tools', revision, select('a', 'c')), first)
      assert.deepEqual(catalogOf(file).list('tools', revision, select('a', 'c')), first)
    }
  })

  it('is remembered once for the revisions that see the same text', () => {
    const renderings = new BoundedMap<Uint8Array<ArrayBuffer>>(10_000)
    const catalog = new Catalog(readPublished(publishedBytes(serverFile('One', PLAIN))), renderings)
    const lists = REVISIONS.map((revision) => catalog.list('tools', revision, select('a')))
    assert.equal(renderings.bytes, lists[0]?.length)
    assert.ok(lists.every((list) => list === lists[0]))
  })

  it('is not mixed up between revisions that share a memory', () => {
    const renderings = new BoundedMap<Uint8Array<ArrayBuffer>>(10_000)
    const at = (revision: number, description: string) => {
      const value = publishedBytes(serverFile('One', [tool('a', { description })]), revision)
      return decode(
        new Catalog(readPublished(value), renderings).list('tools', '2025-11-25', select('a')),
      )
    }
    assert.match(at(1, 'old'), /"old"/)
    assert.match(at(2, 'new'), /"new"/)
  })

  it('is made anew where the memory cannot keep it', () => {
    const value = publishedBytes(serverFile('One', RICH))
    const catalog = new Catalog(readPublished(value), new BoundedMap(1))
    assert.deepEqual(catalog.list('tools', '2025-03-26'), catalog.list('tools', '2025-03-26'))
  })
})

describe('Catalog.list of another kind', () => {
  const others = {
    prompts: [prompt('p', { title: 'P', description: 'ü' }), prompt('q', { status: 'paused' })],
    resources: [resource('x:b', { icons: [], sortOrder: 5 }), resource('x:a', { sortOrder: 1 })],
    resourceTemplates: [template('x:{a}', { _meta: {} })],
  }
  const file = serverFile('One', [tool('a')], others)
  const expected = {
    tools: ['a'],
    prompts: ['p'],
    resources: ['x:a', 'x:b'],
    resourceTemplates: ['x:{a}'],
  }
  for (const kind of KINDS) {
    for (const revision of REVISIONS) {
      it(`is the ${kind} for ${revision}, projected, what serves them left out`, () => {
        const catalog = catalogOf(file)
        const items = parseServerFile(file).items.filter((item) => item.kind === kind)
        const definitions = expected[kind].map((name) => {
          const { definition = '' } = items.find((item) => item.name === name) ?? {}
          return projectItem(kind, JSON.parse(definition), revision)
        })
        const list = decode(catalog.list(kind, revision))
        assert.equal(list, JSON.stringify({ [kind]: definitions }).slice(0, -1))
        assert.doesNotMatch(list, /"(?:messages|text|blob|completions|handler|status|sortOrder)"/)
        assert.equal(decode(catalog.join(kind, revision, catalog.items(kind))), list)
      })
    }
  }

  it('is not mixed up with a list of the same names', () => {
    const one = serverFile('One', [tool('a', { title: 'T' })], { prompts: [prompt('a')] })
    const catalog = catalogOf(one)
    assert.match(decode(catalog.list('tools', '2025-03-26', select('a'))), /^\{"tools":\[\{/)
    assert.match(decode(catalog.list('prompts', '2025-03-26', select('a'))), /^\{"prompts":\[\{/)
  })
})

describe('Catalog', () => {
  const catalog = catalogOf(
    serverFile('One', [tool('a', { requires: { sampling: {} } }), tool('p', { status: 'paused' })]),
  )

  it('finds active tools alone', () => {
    assert.equal(catalog.find('tools', 'a')?.name, 'a')
    for (const name of ['p', 'A', '', 'constructor', '__proto__'])
      assert.equal(catalog.find('tools', name), undefined)
  })

  it('finds an item of each kind by what tells it apart, among its kind alone', () => {
    const all = catalogOf(
      serverFile('One', [tool('a')], {
        prompts: [prompt('p')],
        resources: [resource('x:r')],
        resourceTemplates: [template('x:{t}')],
      }),
    )
    const names = { tools: 'a', prompts: 'p', resources: 'x:r', resourceTemplates: 'x:{t}' }
    for (const kind of KINDS) {
      for (const name of Object.values(names)) {
        assert.equal(all.find(kind, name)?.name, name === names[kind] ? name : undefined)
      }
    }
  })

  it('gives a tool’s definition and binding', () => {
    const found = catalog.find('tools', 'a')
    assert.ok(found)
    const callable = catalog.callable(found)
    assert.equal(callable.tool.name, 'a')
    assert.deepEqual(catalog.definition(found), callable.tool)
    assert.deepEqual(callable.binding.requires, { sampling: {} })
    assert.equal(catalog.callable(found), callable)
  })

  it('counts at least the bytes of its value', () => {
    const value = publishedBytes(serverFile('One', PLAIN))
    assert.ok(new Catalog(readPublished(value), new BoundedMap(1)).bytes > value.length)
  })
})
