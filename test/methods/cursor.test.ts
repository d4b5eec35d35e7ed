import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatCursor, parseCursor, type Cursor, type Signing } from '../../src/methods/cursor.ts'

const SIGNING: Signing = { keys: ['k'], list: 'org id tools' }
const format = (cursor: Cursor) => formatCursor(cursor, SIGNING)
const parse = (text: unknown) => parseCursor(text, SIGNING)

describe('cursors', () => {
  const cursors = [
    { revision: 0, index: 0 },
    { revision: 1, index: 1 },
    { revision: 12, index: 19_999 },
    { revision: 2 ** 49, index: 999_999 },
  ]
  for (const cursor of cursors) {
    it(`of revision ${cursor.revision} at ${cursor.index} read back`, () => {
      assert.match(format(cursor), /^[A-Za-z0-9+/]+$/)
      assert.deepEqual(parse(format(cursor)), cursor)
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
    it(`are not ${JSON.stringify(text).slice(0, 40)}`, () => assert.equal(parse(text), undefined))
  }

  it('are good for the list and the key they were made with alone', () => {
    const text = format({ revision: 1, index: 2 })
    assert.equal(parseCursor(text, { ...SIGNING, list: 'org id prompts' }), undefined)
    assert.equal(parseCursor(text, { ...SIGNING, keys: ['other'] }), undefined)
  })

  it('cannot be made up: another place needs another signature', () => {
    const [, , signature] = atob(format({ revision: 1, index: 2 })).split('.')
    for (const place of ['1.3', '2.2', '1.1'])
      assert.equal(parse(base64(`${place}.${signature}`)), undefined)
  })

  it('have one text each: other endings of the same base64 are not ours', () => {
    const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    for (const index of [2, 22, 222]) {
      const text = format({ revision: 1, index })
      assert.ok(parse(text))
      const sibling = ALPHABET[ALPHABET.indexOf(text.at(-1) ?? '') + 1] ?? ''
      assert.equal(parse(text.slice(0, -1) + sibling), undefined)
    }
  })
  it('stays good while the key that signed it is among the keys', () => {
    const text = format({ revision: 5, index: 3 })
    const cursor = parseCursor(text, { ...SIGNING, keys: ['new', 'k'] })
    assert.deepEqual(cursor, { revision: 5, index: 3 })
  })
})
