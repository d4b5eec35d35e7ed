import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { completionComplete } from '../../src/methods/complete.ts'
import { catalogOf } from '../support/catalogs.ts'
import { asSent, exchangeOf, modernExchangeOf } from '../support/exchanges.ts'
import { prompt, resource, serverFile, template, tool } from '../support/servers.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`)
const completions = {
  city: ['Bonn', 'Berlin', 'bern', 'Örebro', 'Paris', ''],
  hundred: numbers(100),
  more: numbers(101),
  many: [...numbers(250), 'x'],
}
const catalog = catalogOf(
  serverFile('One', [tool('t', { completions })], {
    prompts: [
      prompt('p', { completions }),
      prompt('bare'),
      prompt('paused', { completions, status: 'paused' }),
    ],
    resources: [resource('x:r', { completions })],
    resourceTemplates: [template('x:{city}', { completions: { city: ['Kyiv'] } })],
  }),
)

const PROMPT = { type: 'ref/prompt', name: 'p' }
const ask = (params: object) =>
  asSent(completionComplete(exchangeOf(catalog, { params: { ...params } })))
const complete = (name: string, value: string, ref: object = PROMPT) =>
  ask({ ref, argument: { name, value } })

describe('completion/complete', () => {
  const table: [string, string[]][] = [
    ['', ['Bonn', 'Berlin', 'bern', 'Örebro', 'Paris', '']],
    ['b', ['Bonn', 'Berlin', 'bern']],
    ['B', ['Bonn', 'Berlin', 'bern']],
    ['BER', ['Berlin', 'bern']],
    ['berlin', ['Berlin']],
    ['Berlin ', []],
    ['onn', []],
    ['ö', ['Örebro']],
    ['.', []],
    ['z', []],
  ]
  for (const [value, values] of table) {
    it(`offers [${values.join(', ')}] for '${value}', in the order they were given`, () => {
      assert.deepEqual(complete('city', value), {
        completion: { values, total: values.length, hasMore: false },
      })
    })
  }

  const bounds: [string, string, number, number, boolean][] = [
    ['hundred', '', 100, 100, false],
    ['more', '', 100, 101, true],
    ['many', '', 100, 251, true],
    ['many', 'n', 100, 250, true],
    ['many', 'N24', 11, 11, false],
  ]
  for (const [name, value, length, total, hasMore] of bounds) {
    it(`offers ${length} of ${total} for ${name} '${value}'`, () => {
      const { completion } = complete(name, value)
      assert.equal(completion.values.length, length)
      assert.deepEqual([completion.total, completion.hasMore], [total, hasMore])
      assert.deepEqual(completion.values.slice(0, 1), value === 'N24' ? ['n24'] : ['n0'])
    })
  }

  it('offers the values of a template’s variable', () => {
    const { completion } = complete('city', 'k', { type: 'ref/resource', uri: 'x:{city}' })
    assert.deepEqual(completion.values, ['Kyiv'])
  })

  for (const [name, ref] of [
    ['town', PROMPT],
    ['City', PROMPT],
    ['constructor', PROMPT],
    ['__proto__', PROMPT],
    ['city', { type: 'ref/prompt', name: 'bare' }],
  ] as const) {
    it(`offers nothing for ${name} of ${ref.name}`, () => {
      assert.deepEqual(complete(name, '', ref), {
        completion: { values: [], total: 0, hasMore: false },
      })
    })
  }

  it('takes what was chosen before, and does not need it', () => {
    const argument = { name: 'city', value: 'p' }
    const { completion } = ask({ ref: PROMPT, argument, context: { arguments: { a: 'b' } } })
    assert.deepEqual(completion.values, ['Paris'])
  })

  it('§9.2 #35: answers a 2026 client with resultType and serverInfo, and no cache hints', () => {
    const params = { ref: PROMPT, argument: { name: 'city', value: 'p' } }
    const result = asSent(completionComplete(modernExchangeOf(catalog, { params })))
    assert.deepEqual(Object.keys(result).toSorted(), ['_meta', 'completion', 'resultType'])
    assert.deepEqual(result.completion.values, ['Paris'])
  })
})

describe('completion/complete, what cannot be answered', () => {
  const argument = { name: 'city', value: '' }
  const bad: [string, object][] = [
    ['no params', {}],
    ['no ref', { argument }],
    ['a ref that is text', { ref: 'p', argument }],
    ['a ref of another type', { ref: { type: 'ref/tool', name: 't' }, argument }],
    ['a ref without type', { ref: { name: 'p' }, argument }],
    ['a prompt by uri', { ref: { type: 'ref/prompt', uri: 'p' }, argument }],
    ['a template by name', { ref: { type: 'ref/resource', name: 'x:{city}' }, argument }],
    ['a prompt that is not there', { ref: { type: 'ref/prompt', name: 'none' }, argument }],
    ['a prompt called constructor', { ref: { type: 'ref/prompt', name: 'constructor' }, argument }],
    ['a prompt that is paused', { ref: { type: 'ref/prompt', name: 'paused' }, argument }],
    ['a tool as a prompt', { ref: { type: 'ref/prompt', name: 't' }, argument }],
    ['a template that is not there', { ref: { type: 'ref/resource', uri: 'x:{b}' }, argument }],
    ['no argument', { ref: PROMPT }],
    ['an argument that is an array', { ref: PROMPT, argument: ['city', ''] }],
    ['an argument without a name', { ref: PROMPT, argument: { value: '' } }],
    ['an argument without a value', { ref: PROMPT, argument: { name: 'city' } }],
    ['a value that is a number', { ref: PROMPT, argument: { name: 'city', value: 1 } }],
  ]
  for (const [what, params] of bad) {
    it(`refuses ${what} with -32602, in-band, in every era`, () => {
      for (const exchange of [exchangeOf, modernExchangeOf]) {
        const refused = { code: -32602, status: 200 }
        assert.throws(
          () => completionComplete(exchange(catalog, { params: { ...params } })),
          refused,
        )
      }
    })
  }
})
