import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatCursor, parseCursor } from '../../src/methods/cursor.ts'

describe('cursors', () => {
  const cursors = [
    { revision: 0, index: 0 },
    { revision: 1, index: 1 },
    { revision: 12, index: 19_999 },
    { revision: 2 ** 49, index: 999_999 },
  ]
  for (const cursor of cursors) {
    it(`of revision ${cursor.revision} at ${cursor.index} read back`, () => {
      assert.match(formatCursor(cursor), /^[A-Za-z0-9+/]+$/)
      assert.deepEqual(parseCursor(formatCursor(cursor)), cursor)
    })
  }

  const base64 = (text: string) => btoa(text).replace(/=+$/, '')
  const junk: unknown[] = [
    '',
    ' ',
    'x',
    'junk',
    '0',
    '1.2',
    '!!!!',
    base64('1'),
    base64('1.'),
    base64('.1'),
    base64('1.2.3'),
    base64('-1.2'),
    base64('01.2'),
    base64('1.02'),
    base64(' 1.2'),
    base64('1e3.2'),
    base64('1.1234567'),
    base64('1234567890123456.1'),
    base64('{"offset":2}'),
    `${base64('1.2')}==`,
    ` ${base64('1.2')}`,
    'A'.repeat(5000),
    null,
    0,
    1,
    true,
    {},
    [base64('1.2')],
  ]
  for (const text of junk) {
    it(`are not ${JSON.stringify(text).slice(0, 40)}`, () =>
      assert.equal(parseCursor(text), undefined))
  }

  it('have one text each: other endings of the same base64 are not ours', () => {
    const text = formatCursor({ revision: 1, index: 2 }) // three bytes: no room for another ending
    const longer = formatCursor({ revision: 1, index: 22 })
    assert.ok(parseCursor(text) && parseCursor(longer))
    const last = longer.at(-1) ?? ''
    const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const sibling = ALPHABET[ALPHABET.indexOf(last) + 1] ?? ''
    assert.equal(parseCursor(longer.slice(0, -1) + sibling), undefined)
  })
})
