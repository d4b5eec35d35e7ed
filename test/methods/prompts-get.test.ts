import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Exchange } from '../../src/methods/exchange.ts'
import { promptsGet } from '../../src/methods/prompts-get.ts'
import type { Revision } from '../../src/protocol/revisions.ts'
import { catalogOf } from '../support/catalogs.ts'
import { asSent, exchangeOf, modernExchangeOf } from '../support/exchanges.ts'
import { prompt, serverFile, tool } from '../support/servers.ts'

const TEXT = { type: 'text', text: 'Say {greeting} to {who}, {other}.' }
const IMAGE = { type: 'image', data: 'AA==', mimeType: 'image/{who}' }
const AUDIO = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' }
const LINK = { type: 'resource_link', uri: 'x:{who}', name: 'L' }
const EMBEDDED = { type: 'resource', resource: { uri: 'x:{who}', text: 'for {who}' } }

const greet = prompt('greet', {
  description: 'Greets {who}',
  arguments: [{ name: 'who', required: true }, { name: 'greeting' }],
  messages: [
    { role: 'user', content: TEXT },
    { role: 'assistant', content: EMBEDDED },
    { role: 'user', content: IMAGE },
  ],
})
const blocks = prompt('blocks', {
  messages: [AUDIO, LINK, { ...TEXT, text: 'x', _meta: { a: 1 } }].map((content) => ({
    role: 'user',
    content,
  })),
})
const catalog = catalogOf(
  serverFile('One', [tool('a')], {
    prompts: [greet, blocks, prompt('plain'), prompt('paused', { status: 'paused' })],
  }),
)

const legacy = (params: object, members: Partial<Exchange> = {}) =>
  asSent(promptsGet(exchangeOf(catalog, { params: { ...params }, ...members })))
const modern = (params: object, members: Partial<Exchange> = {}) =>
  asSent(promptsGet(modernExchangeOf(catalog, { params: { ...params }, ...members })))
const textOf = (result: { messages: { content: { text: string } }[] }) =>
  result.messages[0]?.content.text

describe('prompts/get', () => {
  it('gives description and messages, and nothing of the stateless era', () => {
    assert.deepEqual(legacy({ name: 'plain' }), {
      messages: [{ role: 'user', content: { type: 'text', text: 'plain says' } }],
    })
  })

  it('fills the texts in, and leaves the rest as it is stored', () => {
    const args = { who: 'Ann', greeting: '{who}' }
    assert.deepEqual(legacy({ name: 'greet', arguments: args }), {
      description: 'Greets {who}',
      messages: [
        { role: 'user', content: { type: 'text', text: 'Say {who} to Ann, {other}.' } },
        {
          role: 'assistant',
          content: { type: 'resource', resource: { uri: 'x:{who}', text: 'for Ann' } },
        },
        { role: 'user', content: IMAGE },
      ],
    })
  })

  it('puts nothing where an optional argument was not given', () => {
    const result = legacy({ name: 'greet', arguments: { who: '' } })
    assert.equal(textOf(result), 'Say  to , {other}.')
  })

  it('does not change what is stored', () => {
    const first = legacy({ name: 'greet', arguments: { who: 'Ann' } })
    legacy({ name: 'greet', arguments: { who: 'Bob' } })
    assert.deepEqual(legacy({ name: 'greet', arguments: { who: 'Ann' } }), first)
  })

  it('§9.2 #35: answers a 2026 client with resultType and serverInfo, and no cache hints', () => {
    const { messages, ...members } = modern({ name: 'plain' })
    assert.equal(messages.length, 1)
    assert.deepEqual(Object.keys(members).toSorted(), ['_meta', 'resultType'])
    assert.equal(members.resultType, 'complete')
  })

  const types: [Revision, string[]][] = [
    ['2024-11-05', ['text', 'text', 'text']],
    ['2025-03-26', ['audio', 'text', 'text']],
    ['2025-06-18', ['audio', 'resource_link', 'text']],
    ['2025-11-25', ['audio', 'resource_link', 'text']],
    ['2026-07-28', ['audio', 'resource_link', 'text']],
  ]
  for (const [revision, expected] of types) {
    it(`§9.2 #52: shows ${revision} the blocks it knows`, () => {
      const { messages } = legacy({ name: 'blocks' }, { revision })
      const contents = messages.map(({ content }: { content: object }) => content)
      assert.deepEqual(
        contents.map(({ type }: { type: string }) => type),
        expected,
      )
      assert.equal('_meta' in contents[2], revision >= '2025-06-18')
    })
  }
})

describe('prompts/get, what cannot be answered', () => {
  const bad: [string, object, RegExp][] = [
    ['no name', {}, /name/],
    ['a name that is a number', { name: 1 }, /name/],
    ['an empty name', { name: '' }, /./],
    ['arguments that are an array', { name: 'greet', arguments: [] }, /arguments/],
    ['arguments that are null', { name: 'greet', arguments: null }, /arguments/],
    ['arguments that are text', { name: 'greet', arguments: '{}' }, /arguments/],
    ['no required argument', { name: 'greet' }, /who/],
    ['an optional argument alone', { name: 'greet', arguments: { greeting: 'x' } }, /who/],
    ['a number for an argument', { name: 'greet', arguments: { who: 1 } }, /who/],
    ['null for an argument', { name: 'greet', arguments: { who: null } }, /who/],
    [
      'an object for an argument it does not know',
      { name: 'greet', arguments: { who: '', x: {} } },
      /x/,
    ],
  ]
  for (const [what, params, message] of bad) {
    it(`refuses ${what} with -32602, in-band, in every era`, () => {
      assert.throws(() => legacy(params), { code: -32602, status: 200, message })
      assert.throws(() => modern(params), { code: -32602, status: 200, message })
    })
  }

  for (const name of ['none', 'paused', 'Greet', 'a', 'constructor', '__proto__']) {
    it(`answers '${name}' as a prompt that is not there`, () => {
      const refused = { code: -32602, status: 200, message: `Prompt not found: ${name}` }
      assert.throws(() => legacy({ name }), refused)
      assert.throws(() => modern({ name }), refused)
    })
  }

  it('does not take the prototype’s members for arguments', () => {
    const own = catalogOf(
      serverFile('One', [], {
        prompts: [
          prompt('p', {
            arguments: [{ name: 'constructor', required: true }],
            messages: [{ role: 'user', content: { type: 'text', text: '[{constructor}]' } }],
          }),
        ],
      }),
    )
    const get = (args: object) =>
      asSent(promptsGet(exchangeOf(own, { params: { name: 'p', arguments: args } })))
    assert.throws(() => get({}), { code: -32602, message: /constructor/ })
    assert.equal(textOf(get({ constructor: 'x' })), '[x]')
  })
})
