import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Capability } from '../../src/catalog/surface.ts'
import { surfaceItem, surfaceName, takesAccount } from '../../src/catalog/surface-items.ts'
import { parseTool } from '../../src/catalog/tool.ts'
import { tool } from '../support/servers.ts'

const NOTION: Capability = {
  id: 'notion',
  server: '0123456789abcdef',
  account: 'required',
  kind: 'hosted',
}
const MEMORY: Capability = { ...NOTION, id: 'memory', account: 'none' }

const shown = (capability: Capability, name: string, members: object = {}) => {
  const item = surfaceItem(capability, parseTool(tool(name, members)))
  return { ...item, definition: JSON.parse(item.definition), binding: JSON.parse(item.binding) }
}

describe('The name of a tool on the gateway', () => {
  it('is the capability and the operation', () => {
    assert.equal(surfaceName('notion', 'create_page'), 'notion__create_page')
    assert.equal(surfaceName('org__crm', 'a__b'), 'org__crm__a__b')
  })

  it('keeps to 128 characters, and stays apart from others that begin alike', () => {
    const capability = `org__${'s'.repeat(64)}`
    const names = ['a', 'b'].map((end) => surfaceName(capability, `${'t'.repeat(63)}${end}`))
    for (const name of names) assert.match(name, /^org__s{64}__t{50}_[0-9a-f]{6}$/)
    assert.deepEqual(
      names.map(({ length }) => length),
      [128, 128],
    )
    assert.notEqual(names[0], names[1])
    const fits = surfaceName(capability, 't'.repeat(57))
    assert.equal(fits, `${capability}__${'t'.repeat(57)}`)
  })
})

describe('A tool on the gateway', () => {
  it('has the members MCP has, under its name there, and no other', () => {
    const { name, definition, binding } = shown(MEMORY, 'search', {
      title: 'Search',
      annotations: { readOnlyHint: true },
      execution: { taskSupport: 'optional' },
      'x-ours': 1,
    })
    assert.equal(name, 'memory__search')
    assert.deepEqual(definition, {
      name: 'memory__search',
      description: 'The tool search',
      inputSchema: { type: 'object' },
      title: 'Search',
      annotations: { readOnlyHint: true },
    })
    assert.deepEqual(binding, { server: MEMORY.server, tool: 'search', account: 'none' })
  })

  it('takes an account where its server needs one, beside its own arguments', () => {
    const inputSchema = {
      type: 'object',
      properties: { title: { type: 'string' } },
      required: ['title'],
      additionalProperties: false,
    }
    const { definition, binding } = shown(NOTION, 'create_page', { inputSchema })
    const { account, ...own } = definition.inputSchema.properties
    assert.deepEqual(own, inputSchema.properties)
    assert.equal(account.type, 'string')
    assert.deepEqual(definition.inputSchema.required, ['title'])
    assert.equal(definition.inputSchema.additionalProperties, false)
    assert.equal(binding.account, 'required')
    assert.equal(shown(NOTION, 'bare').definition.inputSchema.properties.account.type, 'string')
  })

  it('keeps an argument of that name that it has', () => {
    const inputSchema = { type: 'object', properties: { account: { type: 'integer' } } }
    assert.deepEqual(shown(NOTION, 'move', { inputSchema }).definition.inputSchema, inputSchema)
    assert.equal(takesAccount(inputSchema), false)
    assert.equal(takesAccount({ type: 'object' }), true)
  })
})
