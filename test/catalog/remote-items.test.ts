import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FIRST_UNORDERED, type Overrides } from '../../src/catalog/overrides.ts'
import { remoteItems } from '../../src/catalog/remote-items.ts'

type Lists = Partial<
  Record<'tools' | 'prompts' | 'resources' | 'resourceTemplates', readonly unknown[]>
>

const remoteTool = (name: string, members: object = {}) => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: 'object' },
  ...members,
})

const texts = (values: readonly unknown[] = []) => values.map((value) => JSON.stringify(value))
const itemsOf = (
  { tools, prompts, resources, resourceTemplates }: Lists,
  overrides: Overrides = {},
) =>
  remoteItems(
    {
      tools: texts(tools),
      prompts: texts(prompts),
      resources: texts(resources),
      resourceTemplates: texts(resourceTemplates),
    },
    overrides,
  )
const nested = (depth: number): object => (depth === 0 ? {} : { inner: nested(depth - 1) })

describe('the items of a remote server', () => {
  it('are what it gave, member for member', () => {
    const odd = remoteTool('odd', {
      execution: { taskSupport: 'optional' },
      surprise: { status: 'paused' },
      status: 'whatever',
      inputSchema: {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      },
    })
    const { items, left } = itemsOf({ tools: [odd] })
    assert.deepEqual(left, [])
    assert.deepEqual(items, [
      {
        kind: 'tools',
        name: 'odd',
        status: 'active',
        sortOrder: FIRST_UNORDERED,
        definition: JSON.stringify(odd),
        binding: '{"handler":{"kind":"mcp","name":"odd"}}',
      },
    ])
  })

  it('carry what the operator changed, and stay bound to their names there', () => {
    const given = remoteTool('get weather', { annotations: { readOnlyHint: true, extra: 1 }, x: 1 })
    const { items } = itemsOf(
      { tools: [remoteTool('a'), given] },
      {
        'get weather': {
          name: 'weather',
          title: 'Weather',
          description: 'Ours',
          annotations: { readOnlyHint: false, title: 'W' },
          status: 'paused',
          sortOrder: 3,
        },
        gone: { title: 'Not there' },
      },
    )
    const [, { definition, ...rest } = { definition: '' }] = items
    assert.deepEqual(rest, {
      kind: 'tools',
      name: 'weather',
      status: 'paused',
      sortOrder: 3,
      binding: '{"handler":{"kind":"mcp","name":"get weather"}}',
    })
    assert.deepEqual(JSON.parse(definition), {
      ...given,
      name: 'weather',
      title: 'Weather',
      description: 'Ours',
      annotations: { readOnlyHint: false, extra: 1, title: 'W' },
    })
    assert.equal(items[0]?.sortOrder, FIRST_UNORDERED)
  })

  it('show a made name in the definition too', () => {
    const { items } = itemsOf({ tools: [remoteTool('a b')], prompts: [{ name: 'p'.repeat(200) }] })
    for (const { name, definition } of items) assert.equal(JSON.parse(definition).name, name)
    assert.equal(items[1]?.binding, `{"remote":"${'p'.repeat(200)}"}`)
    assert.equal(items[1]?.name.length, 64)
  })

  it('are prompts by name, resources and templates by URI, untouched by overrides of tools', () => {
    const lists = {
      prompts: [{ name: 'a b', arguments: [{ name: 'x' }] }],
      resources: [{ uri: 'relative/path', name: 'n'.repeat(500) }],
      resourceTemplates: [{ uriTemplate: 'x:{?query}', name: 't' }],
    }
    const { items, left } = itemsOf(lists, { 'a b': { name: 'other', status: 'paused' } })
    assert.deepEqual(left, [])
    assert.deepEqual(
      items.map(({ kind, name, status, binding }) => [kind, name, status, binding]),
      [
        ['prompts', 'a b', 'active', '{"remote":"a b"}'],
        ['resources', 'relative/path', 'active', '{"remote":"relative/path"}'],
        ['resourceTemplates', 'x:{?query}', 'active', '{"remote":"x:{?query}"}'],
      ],
    )
  })

  it('leave out what is unfit to be listed, and say why', () => {
    const lists = {
      tools: [
        remoteTool('fit'),
        remoteTool('fit', { description: 'Again' }),
        { name: 'bare' },
        remoteTool('array', { inputSchema: { type: 'array' } }),
        remoteTool('titled', { title: null }),
        remoteTool('deep', { _meta: nested(70) }),
        remoteTool('schema', { inputSchema: { type: 'object', $comment: 'x'.repeat(256 * 1024) } }),
        remoteTool('big', { description: 'x'.repeat(1024 * 1024) }),
        remoteTool('__proto__'),
        remoteTool('n'.repeat(1001)),
        remoteTool('\ud800'),
        'no object',
      ],
      resources: [{ uri: 'x:1', name: 'One' }, { uri: 'x:1', name: 'Twice' }, { name: 'No URI' }],
    }
    const { items, left } = itemsOf(lists)
    assert.deepEqual(
      items.map(({ name }) => name),
      ['fit', 'x:1'],
    )
    assert.deepEqual(
      left.map(({ name, reason }) => `${name.slice(0, 10)}: ${reason}`),
      [
        'fit: stands twice',
        'bare: inputSchema is missing',
        'array: inputSchema.type must be "object"',
        'titled: title must be a string',
        'deep: nests deeper than 64 levels',
        'schema: inputSchema is over 256 KiB',
        'big: it is over 1024 KiB',
        '__proto__: name cannot be kept',
        'nnnnnnnnnn: name must be at most 1000 characters',
        '\ud800: name must be well-formed Unicode',
        ': must be an object',
        'x:1: stands twice',
        ': uri is missing',
      ],
    )
  })

  it('stay within what one server may have', () => {
    const many = Array.from({ length: 20_002 }, (_, n) => remoteTool(`t${n}`))
    const { items, left } = itemsOf({ tools: many })
    assert.equal(items.length, 20_000)
    assert.deepEqual(left[1], { name: 't20001', reason: 'is one too many' })
    const large = Array.from({ length: 30 }, (_, n) =>
      remoteTool(`t${n}`, { description: 'x'.repeat(1_000_000) }),
    )
    const bounded = itemsOf({ tools: large })
    assert.equal(bounded.items.length, 25)
    assert.equal(bounded.left.length, 5)
  })
})
