/** Where a secret of a tool may be, and where it never is. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { httpTool, startHttpTools, type HttpTools } from '../support/http-tools.ts'
import { serverFile, tool } from '../support/servers.ts'

const SECRET = 'sekret-0123456789'
const auth = { type: 'bearer', token: { secret: 'token' } }
const secretTool = httpTool('secret', { url: 'https://example.com/', auth })

describe('The secret of an HTTP tool', () => {
  let tools: HttpTools
  before(async () => {
    tools = await startHttpTools(
      (url) => [httpTool('leak', { url: `${url}/leak/{code}`, auth }, {}, ['code', 'type'])],
      { secrets: { token: SECRET } },
    )
  })
  after(() => tools.close())

  const admin = (method: string, path: string, body?: unknown) =>
    tools.rollcall.admin(method, path, body)
  const refuses = async (method: string, path: string, body: unknown) => {
    const { status, json } = await admin(method, path, body)
    assert.equal(status, 422)
    assert.deepEqual(json.error.details, [
      { path: 'auth', message: 'must be key or oauth while the tool secret uses a secret' },
    ])
  }

  it('is not to be had on a server that is open to all', async () => {
    await refuses('POST', '/servers', serverFile('Open', [secretTool]))
    const open = (await admin('POST', '/servers', serverFile('Open', [tool('a')]))).json
    await refuses('PUT', `/servers/${open.id}`, serverFile('Open', [secretTool]))
    await refuses('POST', `/servers/${open.id}/tools`, secretTool)
    await refuses('PUT', `/servers/${open.id}/tools/secret`, secretTool)
    const { handler } = secretTool
    await refuses('PATCH', `/servers/${open.id}/tools/a`, { name: 'secret', handler })
    assert.equal((await admin('GET', `/servers/${open.id}`)).json.revision, 1)
  })

  it('keeps its server from being opened to all', async () => {
    const closed = serverFile('Closed', [secretTool], { auth: 'key' })
    const { id } = (await admin('POST', '/servers', closed)).json
    await refuses('PATCH', `/servers/${id}`, { auth: 'none' })
    assert.equal((await admin('DELETE', `/servers/${id}/tools/secret`)).status, 204)
    assert.equal((await admin('PATCH', `/servers/${id}`, { auth: 'none' })).status, 200)
  })

  it('is no secret to have a header or parameter of that name, or a text', async () => {
    const open = httpTool('open', { url: 'https://example.com/', query: { secret: 'x' } })
    const text = tool('text', {
      handler: { kind: 'static', result: { content: [], structuredContent: { secret: 'x' } } },
    })
    assert.equal((await admin('POST', '/servers', serverFile('Words', [open, text]))).status, 201)
  })

  // Base64 hides it from whoever looks for it in texts.
  it('is in no image that an API makes of what it was sent', async () => {
    const text = await tools.textOf('leak', { code: 200, type: 'image/png' })
    assert.equal(text, 'The answer repeats a secret')
  })

  it('is in no answer, export or published copy', async () => {
    await tools.call('leak', { code: 200 })
    await tools.call('leak', { code: 500 })
    const env = await tools.rollcall.harness.getWorker<{ CATALOG: KVNamespace }>().getEnv()
    const { keys } = await env.CATALOG.list()
    const values = await Promise.all(keys.map(({ name }) => env.CATALOG.get(name)))
    const told = [
      await tools.textOf('leak', { code: 200 }),
      await tools.textOf('leak', { code: 500 }),
      (await tools.modernCall('leak', { code: 200 })).text,
      (await admin('GET', `/servers/${tools.id}/export`)).text,
      (await admin('GET', `/servers/${tools.id}/tools/leak`)).text,
      (await admin('GET', '/audit')).text,
      (await admin('GET', '/calls')).text,
      ...values,
    ]
    assert.ok(values.length > 0)
    for (const text of told) assert.doesNotMatch(text ?? '', new RegExp(SECRET))
  })
})
