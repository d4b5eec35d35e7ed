/** `npm run call`: what it sends to the admin API, what it prints of the answer, how it ends. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, it } from 'node:test'
import { runProgram, type ProgramOptions } from '../support/programs.ts'
import { OPERATOR_TOKEN } from '../support/rollcall.ts'

const ID = 'a1b2c3d4e5f6a1b2'
const RESULT = { content: [{ type: 'text', text: 'Bonn: 12 °C' }], structuredContent: { c: 12 } }

type Asked = { method: string; path: string; organization: string; token: string; body: string }

describe('npm run call', () => {
  let asked: Asked[]
  let answer: { status: number; body: object }
  // Plays the two answers of the admin API that the program reads.
  const admin = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request
      const path = url.replace(/\?.*/, '')
      const organization = String(headers['rollcall-organization'])
      const token = String(headers.authorization)
      asked.push({ method, path, organization, token, body: await text(request) })
      const isList = path === '/api/v1/servers'
      const list = { items: [{ id: ID, slug: 'weather', name: 'Weather' }] }
      response.writeHead(isList ? 200 : answer.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isList ? list : answer.body))
    })()
  })
  before(() => new Promise<void>((resolve) => void admin.listen(0, '127.0.0.1', resolve)))
  after(() => admin.close())
  beforeEach(() => {
    asked = []
    answer = { status: 200, body: RESULT }
  })

  const call = (args: readonly string[], options: ProgramOptions = {}) => {
    const url = `http://127.0.0.1:${(admin.address() as AddressInfo).port}`
    return runProgram('call', args, { ...options, env: { ROLLCALL_URL: url } })
  }

  it('sends the arguments to the tool of a server by its slug, and prints the text', async () => {
    const args = ['weather', 'get weather', '{"city":"Bonn"}', '--organization', 'acme']
    assert.deepEqual(await call(args), { code: 0, out: 'Bonn: 12 °C\n', err: '' })
    assert.deepEqual(asked.at(-1), {
      method: 'POST',
      path: `/api/v1/servers/${ID}/tools/get%20weather/call`,
      organization: 'acme',
      token: `Bearer ${OPERATOR_TOKEN}`,
      body: '{"arguments":{"city":"Bonn"}}',
    })
  })

  it('reads the arguments from standard input, and sends none where none are given', async () => {
    await call([ID, 'get_weather', '-'], { input: '{"city": "Köln"}\n' })
    assert.equal(asked.at(-1)?.body, '{"arguments":{"city":"Köln"}}')
    await call([ID, 'get_weather'])
    assert.equal(asked.at(-1)?.body, '{"arguments":{}}')
  })

  it('prints the whole result as JSON when asked', async () => {
    const { out } = await call(['weather', 'get_weather', '--json'])
    assert.deepEqual(JSON.parse(out), RESULT)
  })

  it('exits with 1 where the tool says that it failed', async () => {
    answer.body = { content: [{ type: 'text', text: 'no such city' }], isError: true }
    assert.deepEqual(await call(['weather', 'get_weather']), {
      code: 1,
      out: 'no such city\n',
      err: '',
    })
  })

  it('exits with 1 and tells code, message and details where the call is refused', async () => {
    const details = [{ path: 'arguments.city', message: 'is missing' }]
    answer = { status: 422, body: { error: { code: 'invalid', message: 'It is not', details } } }
    assert.deepEqual(await call(['weather', 'get_weather']), {
      code: 1,
      out: '',
      err: 'invalid: It is not\n  arguments.city is missing\n',
    })
    const none = await call(['nothing', 'get_weather'])
    assert.equal(none.code, 1)
    assert.equal(none.err, 'There is no server "nothing" here\n')
  })

  it('exits with 2 and asks nothing where it is misused', async () => {
    for (const args of [
      ['weather'],
      ['weather', 'get_weather', 'city=Bonn'],
      ['weather', 'get_weather', '[]'],
      ['weather', 'get_weather', '{}', 'more'],
    ]) {
      const { code, err } = await call(args)
      assert.equal(code, 2, args.join(' '))
      assert.match(err, /npm run call -- SERVER TOOL/)
    }
    assert.deepEqual(asked, [])
  })
})
