/** HTTP tools against a real API: where arguments, constants and secrets go. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { httpTool, startHttpTools, type HttpTools } from '../support/http-tools.ts'

const SECRETS = { token: 'sekret-token-1', name: 'sekret-name', clean: 'sekret&name=x' }

const toolsOf = (url: string) => [
  httpTool('city', { url: `${url}/echo/{city}/now?format=j1` }, {}, [
    'city',
    'units',
    'tags',
    'where',
  ]),
  httpTool('post', { method: 'POST', url: `${url}/echo/{id}` }, {}, ['id', 'n', 'deep', 'flag']),
  httpTool(
    'form',
    {
      method: 'PUT',
      url: `${url}/echo`,
      body: 'form',
      headers: { 'X-Fixed': 'fixed' },
      query: { v: '2' },
    },
    {},
    ['a', 'b', 'v'],
  ),
  httpTool(
    'placed',
    {
      method: 'POST',
      url: `${url}/echo/{p}`,
      arguments: {
        p: { in: 'path' },
        q: { in: 'query', name: 'query' },
        h: { in: 'header', name: 'X-Own' },
        b: { in: 'body', name: 'Body' },
      },
    },
    {},
    ['p', 'q', 'h', 'b'],
  ),
  httpTool('bearer', { url: `${url}/echo`, auth: { type: 'bearer', token: { secret: 'token' } } }),
  httpTool('header', {
    url: `${url}/echo`,
    auth: { type: 'header', name: 'X-Key', value: { secret: 'token' } },
    headers: { 'X-Other': { secret: 'name' } },
  }),
  httpTool(
    'query',
    { url: `${url}/echo`, auth: { type: 'query', name: 'key', value: { secret: 'clean' } } },
    {},
    ['key'],
  ),
  httpTool('basic', {
    url: `${url}/echo`,
    auth: { type: 'basic', username: 'me', password: { secret: 'token' } },
  }),
  httpTool('unset', { url: `${url}/echo`, auth: { type: 'bearer', token: { secret: 'nobody' } } }),
]

describe('The request of an HTTP tool', () => {
  let tools: HttpTools
  before(async () => {
    tools = await startHttpTools(toolsOf, { secrets: SECRETS })
  })
  after(() => tools.close())

  const echo = async (tool: string, args: object = {}) => JSON.parse(await tools.textOf(tool, args))
  const seen = () => tools.api.requests.at(-1) ?? assert.fail('nothing was asked')

  it('fills the path percent-encoded, and puts the rest of a GET into the query', async () => {
    const { path, query, method } = await echo('city', {
      city: 'São Paulo/x..?y#z&%2e',
      units: 'm',
      tags: ['a', 'b'],
      where: { near: 1 },
    })
    assert.equal(method, 'GET')
    assert.match(path, /^\/echo\/S%C3%A3o%20Paulo%2Fx..%3Fy%23z%26%252e\/now\?format=j1&/)
    assert.deepEqual(query, [
      ['format', 'j1'],
      ['units', 'm'],
      ['tags', 'a'],
      ['tags', 'b'],
      ['where', '{"near":1}'],
    ])
  })

  const refused: [string, object, RegExp][] = [
    ['a step up', { city: '..' }, /"city" must not be empty, "\." or "\.\."/],
    // A server that decodes %2F first goes up by it.
    ['a step up further on', { city: 'a/../b' }, /"city" must not be .* a step/],
    ['a step up by a backslash', { city: '..\\b' }, /"city" must not be .* a step/],
    ['a step that is encoded already', { city: '%2e%2E/b' }, /"city" must not be .* a step/],
    ['a step', { city: '.' }, /"city"/],
    ['nothing', { city: '' }, /"city"/],
    ['no value', {}, /"city" is needed/],
    ['half a character', { city: '\ud800' }, /"city" has half a character/],
    ['half a character in the query', { city: 'x', units: '\udc00' }, /"units"/],
  ]
  for (const [what, args, message] of refused) {
    it(`asks nothing for ${what}, and names the argument`, async () => {
      const asked = tools.api.requests.length
      const { isError, content } = await tools.call('city', args)
      assert.equal(isError, true)
      assert.match(content[0].text, message)
      assert.equal(tools.api.requests.length, asked)
    })
  }

  it('sends the arguments of a POST as JSON with their types', async () => {
    const { json, headers } = await echo('post', { id: 7, n: 1.5, flag: true, deep: { a: [null] } })
    assert.deepEqual(json, { n: 1.5, deep: { a: [null] }, flag: true })
    assert.equal(headers['content-type'], 'application/json')
    assert.match(headers['user-agent'], /^Rollcall\/\d/)
    assert.equal(headers['rollcall-hops'], '1')
  })

  it('sends a form, and keeps constants whatever the arguments are called', async () => {
    const { form, query, headers } = await echo('form', { a: 'x y', b: [1, 2], v: '3' })
    assert.deepEqual(form, [
      ['a', 'x y'],
      ['b', '1'],
      ['b', '2'],
      ['v', '3'],
    ])
    assert.deepEqual(query, [['v', '2']])
    assert.equal(headers['x-fixed'], 'fixed')
  })

  it('puts each argument where the tool says', async () => {
    const { path, json, headers } = await echo('placed', { p: 'a', q: 'b', h: 'c', b: 'd' })
    assert.equal(path, '/echo/a?query=b')
    assert.equal(headers['x-own'], 'c')
    assert.deepEqual(json, { Body: 'd' })
  })

  it('lets no argument end the line of a header', async () => {
    const { isError, content } = await tools.call('placed', { p: 'a', h: 'x\r\nCookie: y' })
    assert.equal(isError, true)
    assert.match(content[0].text, /"h" cannot stand in a header/)
  })

  it('authorizes by bearer, header, query and basic', async () => {
    await tools.call('bearer')
    assert.equal(seen().headers.authorization, 'Bearer sekret-token-1')
    await tools.call('header')
    assert.equal(seen().headers['x-key'], 'sekret-token-1')
    assert.equal(seen().headers['x-other'], 'sekret-name')
    await tools.call('query', { key: 'mine' })
    assert.deepEqual(
      [...new URL(seen().path, tools.api.url).searchParams],
      [['key', SECRETS.clean]],
    )
    await tools.call('basic')
    assert.equal(seen().headers.authorization, `Basic ${btoa('me:sekret-token-1')}`)
  })

  it('takes its secrets out of an answer that repeats them', async () => {
    for (const tool of ['bearer', 'header', 'query', 'basic']) {
      const text = await tools.textOf(tool)
      assert.match(text, /\[REDACTED\]/)
      assert.doesNotMatch(text, /sekret|c2Vrc/, tool)
    }
  })

  it('names a secret that is not set, and asks nothing', async () => {
    const asked = tools.api.requests.length
    const { isError, content } = await tools.call('unset')
    assert.equal(isError, true)
    assert.match(content[0].text, /The secret "nobody" of this organization is not set/)
    assert.equal(tools.api.requests.length, asked)
  })

  it('never forwards the key of the caller', async () => {
    await tools.call('city', { city: 'Bonn' })
    assert.equal(seen().headers.authorization, undefined)
  })
})
