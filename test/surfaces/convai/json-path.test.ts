import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatJsonPath, readJsonPath } from '../../../src/surfaces/convai/json-path.ts'

const PATHS: [path: string, pointer: string | undefined][] = [
  ['$.a.b', '/a/b'],
  ['a.b', '/a/b'],
  ['a', '/a'],
  ["$['a b']", '/a b'],
  ['$["a b"].c', '/a b/c'],
  ['a[0]', '/a/0'],
  ['a[0][1].b', '/a/0/1/b'],
  ['a.0', '/a/0'],
  ['[0]', '/0'],
  ['$[0]', '/0'],
  ["['a.b']", '/a.b'],
  [String.raw`$['it\'s']`, "/it's"],
  ["$['a/b~c']", '/a~1b~0c'],
  ['$.$ref', '/$ref'],
  ['größe', '/größe'],
  ["$['']", '/'],
  ['', undefined],
  ['$', undefined],
  ['$.', undefined],
  ['a..b', undefined],
  ['$..a', undefined],
  ['a.', undefined],
  ['.a', undefined],
  ['a[*]', undefined],
  ['$.*', undefined],
  ['a[-1]', undefined],
  ['a[0:2]', undefined],
  ['a[?(@.b)]', undefined],
  ["$['a", undefined],
  ['a]', undefined],
  ['/a/b', undefined],
  ['a b', undefined],
]

describe('a path to an input', () => {
  it('is read into the pointer it says, or not at all', () => {
    for (const [path, pointer] of PATHS) assert.equal(readJsonPath(path), pointer, path)
  })

  it('is written so that it is read back', () => {
    const names = ['a', 'a b', '0', '12', "it's", 'a\\', 'a.b', '$', '~', '/', '"', '', 'a*', '𝒳']
    for (const one of names) {
      for (const other of names) {
        const pointer = [one, other]
          .map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
          .join('')
        assert.equal(readJsonPath(formatJsonPath(pointer)), pointer, formatJsonPath(pointer))
      }
    }
    assert.equal(formatJsonPath('/a/b'), '$.a.b')
    assert.equal(formatJsonPath('/a/0'), '$.a[0]')
    assert.equal(formatJsonPath('/a b'), "$['a b']")
  })
})
