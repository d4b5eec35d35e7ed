import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pointerToken, tokensOf } from '../../src/protocol/json-pointer.ts'

const POINTERS: readonly [pointer: string, names: readonly string[]][] = [
  ['', []],
  ['/', ['']],
  ['/a/0', ['a', '0']],
  ['/a~1b/~0', ['a/b', '~']],
  ['/~01', ['~1']],
]

describe('A JSON pointer', () => {
  for (const [pointer, names] of POINTERS) {
    it(`goes through ${JSON.stringify(names)} as ${JSON.stringify(pointer)}`, () => {
      assert.deepEqual(tokensOf(pointer), names)
      assert.equal(names.map((name) => `/${pointerToken(name)}`).join(''), pointer)
    })
  }
})
