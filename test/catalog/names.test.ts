import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  freeSlug,
  mintId,
  mintServerId,
  ServerId,
  Slug,
  slugify,
  ToolName,
} from '../../src/catalog/names.ts'

describe('names', () => {
  const table = [
    [
      'Slug',
      Slug,
      ['a', '7', 'my-weather-tools', 'a--b', 'environment', 'x'.repeat(64)],
      ['', '-a', 'a-', 'A', 'a_b', 'a.b', 'ü', 'a b', 'env', 'x'.repeat(65), 'a\n'],
    ],
    [
      'ServerId',
      ServerId,
      ['a1b2c3d4e5f6a1b2', '0'.repeat(16)],
      ['', 'A1B2C3D4E5F6A1B2', 'a1b2c3d4e5f6a1b', 'a1b2c3d4e5f6a1b2c', 'g1b2c3d4e5f6a1b2'],
    ],
    [
      'ToolName',
      ToolName,
      ['a', '-', '.a', '...', '__proto__', 'constructor', 'get_weather', 'A.b-C_9', 'x'.repeat(64)],
      ['', '.', '..', 'a b', 'a/b', 'a:b', 'ä', 'a\n', '\u202ea', 'x'.repeat(65)],
    ],
  ] as const
  for (const [name, schema, good, bad] of table) {
    for (const text of good) {
      it(`${name} takes '${text}'`, () => assert.equal(schema.parse(text), text))
    }
    for (const text of bad) {
      it(`${name} refuses ${JSON.stringify(text)}`, () => {
        assert.equal(schema.safeParse(text).success, false)
      })
    }
  }
})

describe('slugify', () => {
  const cases = [
    ['My Weather Tools', 'my-weather-tools'],
    ['  --Hello,   World!-- ', 'hello-world'],
    ['a_b.c/d', 'a-b-c-d'],
    ['Café', 'cafe'],
    // A mark on a letter goes without leaving a gap.
    ['Müller & Söhne', 'muller-sohne'],
    ['Café Zürich', 'cafe-zurich'],
    ['ﬁne', 'fine'],
    ['42', '42'],
    ['', 'server'],
    ['日本語', 'server'],
    ['env', 'server'],
    ['Env!', 'server'],
    ['x'.repeat(100), 'x'.repeat(64)],
    [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
  ] as const
  for (const [name, slug] of cases) {
    it(`makes '${slug}' of '${name}', which is a slug`, () => {
      assert.equal(slugify(name), slug)
      assert.equal(Slug.safeParse(slugify(name)).success, true)
    })
  }
})

describe('freeSlug', () => {
  it('leaves a free one as it is', () =>
    assert.equal(
      freeSlug('a', () => false),
      'a',
    ))

  it('counts on from 2', () => {
    const taken = new Set(['a', 'a-2', 'a-3'])
    assert.equal(
      freeSlug('a', (slug) => taken.has(slug)),
      'a-4',
    )
  })

  it('shortens a long one, so that the number fits and nothing ends in two hyphens', () => {
    const long = `${'x'.repeat(61)}-yz`
    const free = freeSlug(long, (slug) => slug === long)
    assert.equal(free, `${'x'.repeat(61)}-2`)
    assert.equal(Slug.safeParse(free).success, true)
  })
})

describe('minted ids', () => {
  it('have their form and are each another', () => {
    const ids = Array.from({ length: 500 }, mintServerId)
    assert.ok(ids.every((id) => ServerId.safeParse(id).success))
    assert.equal(new Set(ids).size, ids.length)
    assert.match(mintId('key'), /^key_[0-9a-f]{20}$/)
  })
})
