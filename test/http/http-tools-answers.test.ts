/** HTTP tools against a real API: what becomes of each kind of answer. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { httpTool, startHttpTools, type HttpTools } from '../support/http-tools.ts'
import { IMAGE_BYTES } from '../support/upstreams/http-bodies.ts'

const TOKEN = 'sekret/token"1'
const bearer = { type: 'bearer', token: { secret: 'token' } }

const weather = (name: string, url: string, response: object, members: object = {}) =>
  httpTool(name, { url: `${url}/weather/{city}`, response }, members, ['city'])

const toolsOf = (url: string) => [
  ...[
    '204',
    '304',
    'empty',
    'bad-json',
    'charset',
    'bad-utf8',
    'image.png',
    'audio.mp3',
    'gzip',
  ].map((path) => httpTool(path, { url: `${url}/${path}` })),
  ...['html-error', 'close-early', 'reset'].map((path) =>
    httpTool(path, { url: `${url}/${path}` }),
  ),
  ...['204', 'image.png'].map((path) =>
    httpTool(`typed-${path}`, { url: `${url}/${path}` }, { outputSchema: { type: 'object' } }),
  ),
  httpTool('bad-json-shaped', { url: `${url}/bad-json`, response: { pointer: '/broken' } }),
  httpTool('head', { method: 'HEAD', url: `${url}/echo` }),
  httpTool('status', { url: `${url}/status/{code}` }, {}, ['code', 'text']),
  httpTool('leak', { url: `${url}/leak/{code}`, auth: bearer }, {}, ['code', 'text']),
  httpTool('huge', { url: `${url}/huge?bytes=100000000`, maxResponseBytes: 50_000 }),
  httpTool('gzip-huge', { url: `${url}/gzip?bytes=5000000` }),
  weather('pointer', url, { pointer: '/current_condition/0' }),
  weather('lost', url, { pointer: '/current_condition/9/x' }),
  weather('fields', url, { fields: ['/current_condition/temp_C', '/nearest_area/0/areaName'] }),
  weather('text', url, {
    pointer: '/current_condition/0',
    text: 'Now {/temp_C} °C, {not} {/weatherDesc/0/value}',
  }),
  weather('lost-text', url, { text: '{/nothing/here}' }),
  weather(
    'typed',
    url,
    { pointer: '/current_condition/0', fields: ['/temp_C'] },
    {
      outputSchema: {
        type: 'object',
        properties: { temp_C: { type: 'string' } },
        required: ['temp_C'],
      },
    },
  ),
  weather(
    'mistyped',
    url,
    { pointer: '/current_condition/0', fields: ['/temp_C'] },
    {
      outputSchema: { type: 'object', properties: { temp_C: { type: 'number' } } },
    },
  ),
]

describe('The answer of an HTTP tool', () => {
  let tools: HttpTools
  before(async () => {
    tools = await startHttpTools(toolsOf, { secrets: { token: TOKEN } })
  })
  after(() => tools.close())

  const fails = async (tool: string, args: object, message: RegExp) => {
    const { isError, content } = await tools.call(tool, args)
    assert.equal(isError, true)
    assert.match(content[0].text, message)
    return String(content[0].text)
  }

  it('says so where there is no content', async () => {
    for (const status of ['204', '304']) {
      assert.deepEqual(await tools.call(status), {
        content: [{ type: 'text', text: `The API answered ${status} without content` }],
      })
    }
    assert.match(await tools.textOf('empty'), /200 without content/)
  })

  it('gives status and headers for HEAD', async () => {
    assert.match(await tools.textOf('head'), /^HTTP 200\n(?:.*\n)*content-type: application\/json/)
  })

  it('is broken JSON as it came, and an error where something is to be made of it', async () => {
    assert.deepEqual(await tools.call('bad-json'), {
      content: [{ type: 'text', text: '{"broken": tru' }],
    })
    await fails('bad-json-shaped', {}, /broken JSON/)
  })

  it('is said to have no JSON where structured content is promised', async () => {
    for (const path of ['204', 'image.png']) {
      await fails(`typed-${path}`, {}, /has no JSON, and typed-\S+ promises structured content/)
    }
  })

  it('reads a text by its charset, and marks what is none', async () => {
    assert.match(await tools.textOf('charset'), /é|ü|ß/)
    assert.match(await tools.textOf('bad-utf8'), /�/)
  })

  it('gives images and audio as blocks', async () => {
    const { content } = await tools.call('image.png')
    assert.deepEqual(content, [
      { type: 'image', data: Buffer.from(IMAGE_BYTES).toString('base64'), mimeType: 'image/png' },
    ])
    const [audio] = (await tools.call('audio.mp3')).content
    assert.deepEqual([audio.type, audio.mimeType], ['audio', 'audio/mpeg'])
  })

  it('unpacks a compressed answer, and measures it unpacked', async () => {
    assert.ok(JSON.parse(await tools.textOf('gzip')))
    await fails('gzip-huge', {}, /over 1048576 bytes/)
  })

  it('cuts an answer that is over the limit, and ends the request', async () => {
    await fails('huge', {}, /over 50000 bytes/)
    const seen = await tools.api.untilRequest(({ path }) => path.startsWith('/huge'))
    await seen.aborted
  })

  it('gives an error with its status and what it says', async () => {
    await fails('status', { code: 404, text: 'no such city' }, /answered 404: .*no such city/)
    await fails('status', { code: 503 }, /answered 503/)
    assert.equal(
      await fails('html-error', {}, /500/),
      'The API answered 500: 500 Internal Server Error The database is on fire.',
    )
  })

  it('bounds and cleans what an error says', async () => {
    const text = await fails('status', { code: 400, text: `a\u0007\n${'x'.repeat(5000)}` }, /400/)
    assert.ok(text.length < 1100)
    assert.doesNotMatch(text, /\p{Cc}/u)
  })

  it('takes the secret out of an error in every form', async () => {
    for (const code of [400, 200]) {
      const { content } = await tools.call('leak', { code, text: 'x' })
      assert.match(content[0].text, /Bearer \[REDACTED\]/)
      assert.doesNotMatch(content[0].text, /sekret/)
    }
  })

  it('is an error where the API breaks off', async () => {
    await fails('close-early', {}, /could not be reached, or broke off/)
    await fails('reset', {}, /could not be reached, or broke off/)
  })

  it('keeps the part and the fields it is told, and leaves their shape', async () => {
    assert.equal(
      typeof JSON.parse(await tools.textOf('pointer', { city: 'Bonn' })).temp_C,
      'string',
    )
    const kept = JSON.parse(await tools.textOf('fields', { city: 'Bonn' }))
    assert.deepEqual(Object.keys(kept), ['current_condition', 'nearest_area'])
    assert.deepEqual(Object.keys(kept.current_condition[0]), ['temp_C'])
  })

  it('names what the answer has not', async () => {
    await fails('lost', { city: 'Bonn' }, /nothing at \/current_condition\/9\/x/)
  })

  it('leaves out of a text what the answer has not', async () => {
    assert.doesNotMatch(await tools.textOf('lost-text', { city: 'Bonn' }), /nothing/)
  })

  it('fills a text from what is kept', async () => {
    assert.match(await tools.textOf('text', { city: 'Bonn' }), /^Now -?\d+ °C, \{not\} \S/)
  })

  it('gives structured content that the output schema allows, and an error where not', async () => {
    const { content } = await tools.call('typed', { city: 'Bonn' })
    const { structuredContent } = (await tools.modernCall('typed', { city: 'Bonn' })).json.result
    assert.deepEqual(JSON.parse(content[0].text), structuredContent)
    await fails('mistyped', { city: 'Bonn' }, /not what it promises:\n\/temp_C/)
  })
})
