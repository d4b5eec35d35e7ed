import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { describeError } from '../../src/protocol/log.ts'
import { RpcError } from '../../src/protocol/json-rpc.ts'

const caught = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('it did not throw')
}

describe('An error in the log', () => {
  const SECRET = 'Anna Schmidt'
  const errors: [string, unknown][] = [
    ['JSON that cannot be read', caught(() => JSON.parse(`{"patient":"${SECRET}",}`))],
    ['JSON that is no object', caught(() => JSON.parse(`${SECRET} and more`))],
    [
      'a record that is not as it should be',
      caught(() => z.strictObject({}).parse({ [SECRET]: 1 })),
    ],
    ['a URL that is none', caught(() => new URL(`http://[${SECRET}`))],
    ['a fetch', new TypeError(`Fetch API cannot load: ftp://example.com/${SECRET}`)],
    ['one of several lines', new Error(`"a\n    at ${SECRET}\n"`)],
    ['a refusal that names what it refuses', new RpcError(-32602, `Unknown tool: ${SECRET}`)],
    ['what is no error', { message: SECRET }],
    ['a text', SECRET],
    ['a cause', new Error('it failed', { cause: new RpcError(-32000, SECRET) })],
  ]
  for (const [what, error] of errors) {
    it(`holds nothing of what was sent: ${what}`, () => {
      const text = describeError(error)
      for (const part of [SECRET, ...SECRET.split(' ')]) assert.ok(!text.includes(part), text)
      assert.notEqual(text, '')
    })
  }

  it('tells what it is, where it came from, and its cause', () => {
    const cause = new RangeError('too long')
    const [first = '', ...more] = describeError(new Error('it failed', { cause })).split('\n')
    assert.equal(first, 'Error: it failed')
    assert.match(more[0] ?? '', /^ +at .*log\.test\.ts/)
    assert.ok(more.includes('caused by RangeError: too long'))
  })

  it('ends where errors cause each other', () => {
    const error = new Error('again')
    error.cause = error
    assert.equal(describeError(error).split('caused by').length, 5)
  })
})
