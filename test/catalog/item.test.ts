import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatItem, readItem, type Form, type ItemRecord } from '../../src/catalog/item.ts'
import { PROMPT_FORM } from '../../src/catalog/prompt.ts'
import { RESOURCE_FORM, TEMPLATE_FORM } from '../../src/catalog/resource.ts'
import { TOOL_FORM } from '../../src/catalog/tool.ts'
import { prompt, resource, template, tool } from '../support/servers.ts'

function requireItem(form: Form, value: unknown): ItemRecord {
  const { record, details } = readItem(form, value, '')
  assert.deepEqual(details, [])
  assert.ok(record)
  return record
}

const wrong = (form: Form, value: unknown, at = 'x[0]') => {
  const { record, details } = readItem(form, value, at)
  assert.equal(record, undefined)
  return details.map(({ path, message }) => `${path} ${message}`)
}

const nested = (levels: number): object =>
  JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels))

type Sample = { form: Form; item: (members?: object) => object; name: string; serving: string[] }

const completions = { a: ['x', 'y'] }
const SAMPLES: [string, Sample][] = [
  [
    'tool',
    {
      form: TOOL_FORM,
      item: (members) => tool('a', { requires: { sampling: {} }, ...members }),
      name: 'a',
      serving: ['handler', 'requires'],
    },
  ],
  [
    'prompt',
    {
      form: PROMPT_FORM,
      item: (members) => prompt('a', { completions, ...members }),
      name: 'a',
      serving: ['messages', 'completions'],
    },
  ],
  [
    'resource',
    {
      form: RESOURCE_FORM,
      item: (members) => resource('x:a', members),
      name: 'x:a',
      serving: ['text'],
    },
  ],
  [
    'template',
    {
      form: TEMPLATE_FORM,
      item: (members) =>
        template('x:{a}', { text: undefined, blob: 'AAAA', completions, ...members }),
      name: 'x:{a}',
      serving: ['blob', 'completions'],
    },
  ],
]

for (const [what, { form, item, name, serving }] of SAMPLES) {
  describe(`readItem of a ${what}`, () => {
    it('splits it into what clients are shown and what serves it', () => {
      const value = item({ status: 'paused', sortOrder: 3, later: [null, { b: 1 }] })
      const record = requireItem(form, JSON.parse(JSON.stringify(value)))
      assert.deepEqual(
        [record.kind, record.name, record.status, record.sortOrder],
        [form.kind, name, 'paused', 3],
      )
      const definition: object = JSON.parse(record.definition)
      const binding: object = JSON.parse(record.binding)
      assert.deepEqual(Object.keys(binding).toSorted(), serving.toSorted())
      assert.deepEqual(
        { ...definition, ...binding, status: 'paused', sortOrder: 3 },
        JSON.parse(JSON.stringify(value)),
      )
      assert.ok(record.definition.includes('"later":[null,{"b":1}]'))
    })

    it('is active where it does not say, without a place of its own', () => {
      const { status, sortOrder } = requireItem(form, item())
      assert.deepEqual([status, sortOrder], ['active', undefined])
    })

    it('keeps a member called __proto__ as it was written, and pollutes nothing', () => {
      const text = JSON.stringify(item())
      const value: unknown = JSON.parse(`${text.slice(0, -1)},"__proto__":{"polluted":true}}`)
      assert.match(requireItem(form, value).definition, /"__proto__":\{"polluted":true\}/)
      assert.equal('polluted' in {}, false)
    })

    it('names a wrong status and a wrong sort order', () => {
      assert.deepEqual(wrong(form, item({ status: 'gone', sortOrder: -1 })).toSorted(), [
        'x[0].sortOrder must be at least 0',
        'x[0].status must be "active" or "paused"',
      ])
    })

    it('refuses 200 levels, and a definition of over 1 MiB', () => {
      assert.deepEqual(wrong(form, item({ _meta: nested(200) })), [
        'x[0] nests deeper than 64 levels',
      ])
      const long = '語'.repeat(400_000) // over 1 MiB only in UTF-8
      assert.deepEqual(wrong(form, item({ description: long })), ['x[0] is over 1024 KiB'])
    })

    it('is refused when it is no object', () => {
      for (const value of [null, 1, 'x', [], true]) {
        assert.deepEqual(wrong(form, value), ['x[0] must be an object'])
      }
    })
  })

  describe(`formatItem of a ${what}`, () => {
    it('writes it so that it reads back the same', () => {
      const record = requireItem(form, item({ sortOrder: 4, status: 'paused', later: '\u2028' }))
      assert.deepEqual(requireItem(form, JSON.parse(formatItem(record))), record)
    })

    it('leaves the sort order out where the order tells it', () => {
      const record = requireItem(form, item({ sortOrder: 4 }))
      assert.equal(JSON.parse(formatItem(record)).sortOrder, 4)
      assert.equal('sortOrder' in JSON.parse(formatItem(record, true)), false)
    })
  })
}

describe('readItem', () => {
  it('names what serves an item when that is over 1 MiB', () => {
    const text = 'x'.repeat(1_100_000)
    assert.deepEqual(wrong(RESOURCE_FORM, resource('x:', { text })), ['x[0].text is over 1024 KiB'])
    const messages = [{ role: 'user', content: { type: 'text', text } }]
    assert.deepEqual(wrong(PROMPT_FORM, prompt('a', { messages })), [
      'x[0].messages is over 1024 KiB',
    ])
  })

  // There is no `text` in it to look at.
  it('names the blob of a resource when that is over 1 MiB', () => {
    const blob = 'AAAA'.repeat(300_000)
    assert.deepEqual(wrong(RESOURCE_FORM, resource('x:', { text: undefined, blob })), [
      'x[0].blob is over 1024 KiB',
    ])
  })

  it('names fields alone where it stands nowhere', () => {
    assert.deepEqual(readItem(PROMPT_FORM, { name: 'a' }, '').details, [
      { path: 'messages', message: 'is missing' },
    ])
  })
})
