import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Exchange } from '../../src/methods/exchange.ts'
import { toolsCall } from '../../src/methods/tools-call.ts'
import { RpcError } from '../../src/protocol/json-rpc.ts'
import { catalogOf } from '../support/catalogs.ts'
import { asSent, callerFor, exchangeOf, modernExchangeOf } from '../support/exchanges.ts'
import { serverFile, tool } from '../support/servers.ts'

const handler = (result: object) => ({ handler: { kind: 'static', result } })
const weather = tool('weather', {
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
    },
    required: ['city'],
    additionalProperties: false,
  },
  ...handler({ content: [{ type: 'text', text: '{city} in {units}' }] }),
})
const region = tool('region', {
  inputSchema: { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'Region' } } },
})
const needy = tool('needy', { requires: { elicitation: { url: {} }, sampling: {} } })
const catalog = catalogOf(
  serverFile('One', [weather, region, needy, tool('a'), tool('paused', { status: 'paused' })]),
)

const legacy = async (params: object, members: Partial<Exchange> = {}) =>
  asSent(await toolsCall(exchangeOf(catalog, { params: { ...params }, ...members })))
const modern = async (params: object, members: Partial<Exchange> = {}) =>
  asSent(await toolsCall(modernExchangeOf(catalog, { params: { ...params }, ...members })))

describe('tools/call', () => {
  it('runs a tool and answers with nothing of the stateless era', async () => {
    assert.deepEqual(await legacy({ name: 'a' }), { content: [{ type: 'text', text: 'a ran' }] })
  })

  it('§9.2 #35: answers a 2026 client with resultType and serverInfo, and no cache hints', async () => {
    const result = await modern({ name: 'a' })
    assert.deepEqual(Object.keys(result).toSorted(), ['_meta', 'content', 'resultType'])
    assert.equal(result.resultType, 'complete')
  })

  it('keeps the _meta of a result beside ours', async () => {
    const result = {
      content: [],
      _meta: { own: 1, 'io.modelcontextprotocol/serverInfo': 'forged' },
    }
    const own = catalogOf(serverFile('One', [tool('a', handler(result))]))
    const { _meta } = asSent(await toolsCall(modernExchangeOf(own, { params: { name: 'a' } })))
    assert.equal(_meta.own, 1)
    assert.equal(_meta['io.modelcontextprotocol/serverInfo'].name, 'One')
  })

  for (const structuredContent of [null, 0, false, []]) {
    it(`§9.2 #53: carries a structuredContent of ${JSON.stringify(structuredContent)} to a 2026 client`, async () => {
      const own = catalogOf(
        serverFile('One', [tool('a', handler({ content: [], structuredContent }))]),
      )
      const result = asSent(await toolsCall(modernExchangeOf(own, { params: { name: 'a' } })))
      assert.deepEqual(result.structuredContent, structuredContent)
    })
  }

  it('§9.2 #46: ignores params.task', async () => {
    assert.ok((await legacy({ name: 'a', task: { ttl: 1 } })).content)
  })
})

describe('tools/call, what is no call', () => {
  const bad: [string, object][] = [
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name that is a number', { name: 1 }],
    ['arguments that are an array', { name: 'a', arguments: [] }],
    ['arguments that are text', { name: 'a', arguments: '{}' }],
    ['arguments that are null', { name: 'a', arguments: null }],
    [
      'arguments of 65 levels',
      { name: 'a', arguments: JSON.parse('{"a":'.repeat(65) + '1' + '}'.repeat(65)) },
    ],
  ]
  for (const [what, params] of bad) {
    it(`§9.2 #56: refuses ${what} with -32602, in-band, in every era`, async () => {
      await assert.rejects(legacy(params), { code: -32602, status: 200 })
      await assert.rejects(modern(params), { code: -32602, status: 200 })
    })
  }

  it('§9.2 #56: takes absent arguments for none', async () => {
    assert.equal((await legacy({ name: 'a' })).isError, undefined)
  })
})

describe('tools/call, a tool that is not there', () => {
  const missing = async (name: string, members: Partial<Exchange> = {}) => {
    const error = await legacy({ name }, members).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof RpcError)
    return JSON.stringify([error.code, error.status, error.message, error.data]).replaceAll(
      name,
      '<name>',
    )
  }

  it('§9.2 #49: is one answer for made up, paused and not for this caller, but for the name', async () => {
    const unknown = await missing('made_up')
    assert.equal(unknown, '[-32602,200,"Tool not found: <name>",null]')
    assert.equal(await missing('paused'), unknown)
    assert.equal(await missing('weather', { caller: callerFor('a') }), unknown)
    assert.equal(await missing('paused', { caller: callerFor('paused') }), unknown)
    assert.equal(await missing('constructor'), unknown)
    assert.equal(await missing('Weather'), unknown)
  })

  it('is that for a tool paused since the list, as the verified catalog has it', async () => {
    const now = catalogOf(serverFile('One', [tool('a', { status: 'paused' })]), 2)
    await assert.rejects(legacy({ name: 'a' }, { verified: async () => now }), { code: -32602 })
  })

  it('is a result that says to retry where nobody could be asked', async () => {
    const result = await legacy({ name: 'a' }, { verified: async () => undefined })
    assert.equal(result.isError, true)
    assert.match(result.content[0].text, /Retry/)
  })
})

describe('tools/call, arguments', () => {
  it('fills in defaults', async () => {
    const { content } = await legacy({ name: 'weather', arguments: { city: 'Bonn' } })
    assert.equal(content[0].text, 'Bonn in metric')
  })

  const wrong: [object, RegExp][] = [
    [{}, /city/],
    [{ city: 5 }, /\/city/],
    [{ city: 'x', units: 'kelvin' }, /\/units/],
    [{ city: 'x', town: 'y' }, /town/],
  ]
  for (const [args, field] of wrong) {
    it(`§9.2 #50: answers ${JSON.stringify(args)} by a result that names the field, in every era`, async () => {
      for (const call of [legacy, modern]) {
        const result = await call({ name: 'weather', arguments: args })
        assert.equal(result.isError, true)
        assert.match(result.content[0].text, field)
      }
    })
  }

  // A property the schema declares is none of the additional ones, whatever it is called.
  it('takes a declared argument called __proto__', async () => {
    const schema = '{"type":"object","properties":{"__proto__":{}},"additionalProperties":false}'
    const own = catalogOf(serverFile('One', [tool('proto', { inputSchema: JSON.parse(schema) })]))
    const params = { name: 'proto', arguments: JSON.parse('{"__proto__":1}') }
    const result = asSent(await toolsCall(exchangeOf(own, { params })))
    assert.equal(result.isError, undefined, JSON.stringify(result))
  })

  it('§9.2 #34: compares Mcp-Param headers of a 2026 client alone', async () => {
    const params = { name: 'region', arguments: { r: 'eu' } }
    assert.ok(await legacy(params))
    assert.ok(await modern(params, { headers: new Headers({ 'mcp-param-region': 'eu' }) }))
    await assert.rejects(modern(params), { code: -32020, status: 400 })
    const headers = new Headers({ 'mcp-param-region': 'us' })
    await assert.rejects(modern(params, { headers }), { code: -32020, status: 400 })
  })
})

describe('tools/call, client capabilities a tool requires', () => {
  it('§9.2 #44: refuses a 2026 client without them with 400 -32021 and an object', async () => {
    const requiredCapabilities = { elicitation: { url: {} }, sampling: {} }
    for (const clientCapabilities of [{}, { sampling: {} }, { sampling: {}, elicitation: {} }]) {
      await assert.rejects(modern({ name: 'needy' }, { clientCapabilities }), {
        code: -32021,
        status: 400,
        data: { requiredCapabilities },
      })
    }
  })

  it('runs for a 2026 client that has them', async () => {
    const clientCapabilities = {
      sampling: { tools: {} },
      elicitation: { url: {}, form: {} },
      roots: {},
    }
    assert.equal((await modern({ name: 'needy' }, { clientCapabilities })).isError, undefined)
  })

  it('names what is missing, and is an isError to earlier clients', async () => {
    const result = await legacy({ name: 'needy' })
    assert.equal(result.isError, true)
    assert.match(result.content[0].text, /elicitation.*sampling/)
  })

  // "`elicitation: {}` means form only" (§4.8).
  it('takes elicitation {} for the form mode', async () => {
    const own = catalogOf(
      serverFile('One', [tool('a', { requires: { elicitation: { form: {} } } })]),
    )
    const call = (elicitation: object) =>
      toolsCall(
        modernExchangeOf(own, { params: { name: 'a' }, clientCapabilities: { elicitation } }),
      )
    assert.ok(await call({ form: {} }))
    await assert.rejects(call({ url: {} }), { code: -32021 })
    assert.ok(await call({}))
  })
})
