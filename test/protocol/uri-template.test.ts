import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runInNewContext } from 'node:vm'
import { matchTemplate, templateVariables } from '../../src/protocol/uri-template.ts'

const DEADLINE_MS = 1000

describe('templateVariables', () => {
  const good: [string, string[]][] = [
    ['', []],
    ['x:y', []],
    ['x:{a}', ['a']],
    ['x:{+a}', ['a']],
    ['file:///{dir}/{+path}?v={v}', ['dir', 'path', 'v']],
    ['{a}{b}', ['a', 'b']],
    ['{a_1.b}', ['a_1.b']],
    ['{_}{A}{a}', ['_', 'A', 'a']],
    ['{constructor}{__proto__}', ['constructor', '__proto__']],
  ]
  for (const [template, names] of good) {
    it(`finds [${names.join(', ')}] in '${template}'`, () => {
      assert.deepEqual(templateVariables(template), names)
    })
  }

  const bad = [
    '{',
    '}',
    '{}',
    '{+}',
    '{a',
    'a}',
    '{{a}}',
    '{ a }',
    '{a b}',
    '{a,b}',
    '{?a}',
    '{&a}',
    '{#a}',
    '{/a}',
    '{.a}',
    '{;a}',
    '{=a}',
    '{a*}',
    '{a:3}',
    '{1a}',
    '{ä}',
    '{a}{a}',
    '{a}{+a}',
  ]
  for (const template of bad) {
    it(`takes '${template}' for none`, () => {
      assert.equal(templateVariables(template), undefined)
      assert.equal(matchTemplate(template, template), undefined)
    })
  }
})

describe('matchTemplate', () => {
  const matching: [string, string, Record<string, string>][] = [
    ['x:y', 'x:y', {}],
    ['x:{a}', 'x:1', { a: '1' }],
    ['x:{a}/y', 'x:1/y', { a: '1' }],
    ['x:{a}/{b}', 'x:1/2', { a: '1', b: '2' }],
    ['x:{a}', 'x:{a}', { a: '{a}' }],
    ['x:{a}', 'x:größe', { a: 'größe' }],
    ['x:{a}', 'x:gr%C3%B6%C3%9Fe%20%2F%3F%23', { a: 'größe /?#' }],
    ['x:{a}', 'x:%25%32', { a: '%2' }],
    ['x:{+a}', 'x:1/2?c=d#e', { a: '1/2?c=d#e' }],
    ['x:{+a}/{b}', 'x:1/2/3', { a: '1/2', b: '3' }],
    ['x:{+a}.md', 'x:1/2.md/3.md', { a: '1/2.md/3' }],
    ['x:{a}-{b}', 'x:1-2-3', { a: '1', b: '2-3' }],
    ['x:{a}?q={q}', 'x:1?q=2', { a: '1', q: '2' }],
    ['x:a.b+c(d)[e]^$|\\*/{v}', 'x:a.b+c(d)[e]^$|\\*/1', { v: '1' }],
  ]
  for (const [template, uri, values] of matching) {
    it(`reads ${JSON.stringify(values)} from '${uri}' by '${template}'`, () => {
      assert.deepEqual(matchTemplate(template, uri), values)
    })
  }

  const others: [string, string][] = [
    ['x:y', 'x:z'],
    ['x:y', 'X:y'],
    ['x:y', 'x:yz'],
    ['x:y', ' x:y'],
    ['x:y', 'x:y\n'],
    ['x:a.b', 'x:a-b'],
    ['x:{a}', 'x:'],
    ['x:{+a}', 'x:'],
    ['x:{a}', 'x:1/2'],
    ['x:{a}', 'x:1?2'],
    ['x:{a}', 'x:1#2'],
    ['x:{a}/{b}', 'x:1'],
    ['x:{a}/{b}', 'x:/2'],
    ['x:{a}/y', 'x:1/y/'],
    ['x:{a}', 'x:%'],
    ['x:{a}', 'x:%zz'],
    ['x:{a}', 'x:%ff'],
    ['x:{+a}', 'x:%C3'],
    ['x:{a}', ''],
  ]
  for (const [template, uri] of others) {
    it(`finds nothing in ${JSON.stringify(uri)} by '${template}'`, () => {
      assert.equal(matchTemplate(template, uri), undefined)
    })
  }

  it('keeps a variable called __proto__ a value', () => {
    const values = matchTemplate('x:{__proto__}/{constructor}', 'x:1/2')
    assert.equal(JSON.stringify(values), '{"__proto__":"1","constructor":"2"}')
  })

  // A caller writes the URI, of up to 4 MiB, and nothing can interrupt a match in an isolate.
  const hostile: [string, string, string][] = [
    ['one run', 'x:{+a}!', `x:${'/'.repeat(1_000_000)}`],
    ['two runs', 'x:{+a}/{+b}!', `x:${'/'.repeat(1_000_000)}`],
    ['three runs', 'x:{+a}/{+b}/{+c}!', `x:${'/'.repeat(100_000)}`],
    [
      'ten segments beside each other',
      `x:${'abcdefghij'.replaceAll(/./g, '{$&}')}!`,
      `x:${'a'.repeat(2000)}`,
    ],
  ]
  for (const [what, template, uri] of hostile) {
    it(`answers soon for a template of ${what} and a URI that almost has its form`, () => {
      const match = () => matchTemplate(template, uri) ?? 'nothing'
      assert.equal(runInNewContext('match()', { match }, { timeout: DEADLINE_MS }), 'nothing')
    })
  }
})
