import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Validator } from '@cfworker/json-schema'
import { createServer } from '../support/admin.ts'
import { TABLE } from '../support/admin-table.ts'
import { applySnapshot, remoteFile, remoteTool, snapshot } from '../support/remotes.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const SAMPLES = join(import.meta.dirname, '../../src/samples')
const PUBLIC_URL = 'https://mcp.example.com'

type Schema = ConstructorParameters<typeof Validator>[0]
type Content = { content?: { 'application/json': { schema: Schema } } }
type Operation = {
  operationId: string
  summary: string
  parameters: { in: string; name: string; required: boolean; schema: object }[]
  requestBody?: Content & { required: boolean }
  responses: Record<string, Content & { description: string }>
}

describe('GET /openapi.json', () => {
  let rollcall: Rollcall
  // oxlint-disable-next-line typescript/no-explicit-any -- a document is looked at as it comes
  let document: any
  let operations: [route: string, operation: Operation][]
  before(async () => {
    rollcall = await startRollcall({ vars: { PUBLIC_URL } })
    const answer = await rollcall.send('/openapi.json')
    assert.equal(answer.status, 200)
    document = answer.json
    operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path.replace('/api/v1', '')}`,
        operation,
      ]),
    )
  })
  after(() => rollcall.close())

  const find = (route: string): Operation => {
    const [, operation] = operations.find(([name]) => name === route) ?? []
    assert.ok(operation, route)
    return operation
  }
  const accepts = (content: Content | undefined, value: unknown) => {
    const schema = content?.content?.['application/json'].schema
    assert.ok(schema)
    return new Validator(schema, '2020-12', false).validate(value)
  }
  const samples = async () => {
    const all = await readdir(SAMPLES, { recursive: true })
    const names = all.filter((name) => name.endsWith('.json'))
    const texts = await Promise.all(names.map((name) => readFile(join(SAMPLES, name), 'utf8')))
    return texts.map((text) => JSON.parse(text))
  }

  it('needs no credential, and is the same each time', async () => {
    const again = await rollcall.send('/openapi.json')
    assert.deepEqual(again.json, document)
    assert.match(again.headers.get('content-type') ?? '', /^application\/json/)
  })

  it('has the main structure of OpenAPI 3.1', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.ok(document.info.title && document.info.version)
    assert.deepEqual(document.servers, [{ url: PUBLIC_URL }])
    const [requirement] = document.security
    for (const name of Object.keys(requirement)) {
      assert.equal(document.components.securitySchemes[name].scheme, 'bearer')
    }
    const ids = operations.map(([, { operationId }]) => operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const [route, { summary, parameters, responses }] of operations) {
      assert.ok(summary, route)
      const inPath = parameters.filter((each) => each.in === 'path')
      const named = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(
        inPath.map(({ name }) => name),
        named,
        route,
      )
      assert.ok(inPath.every(({ required }) => required))
      const places = parameters.map((each) => `${each.in} ${each.name}`)
      assert.equal(new Set(places).size, places.length, route)
      assert.ok(
        Object.keys(responses).some((status) => status.startsWith('2')),
        route,
      )
      assert.ok(
        Object.values(responses).every(({ description }) => description),
        route,
      )
    }
  })

  it('points to nothing that is not in it', () => {
    const pointers = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)]
    for (const [, pointer = ''] of pointers) {
      const parts = pointer.replace(/^#\//, '').split('/')
      // oxlint-disable-next-line typescript/no-explicit-any -- as above
      const found = parts.reduce((node: any, part) => node?.[part], document)
      assert.ok(found, pointer)
    }
  })

  it('has every route of the table, and no other', () => {
    assert.deepEqual(operations.map(([route]) => route).toSorted(), TABLE.toSorted())
  })

  it('says of every route what the router does with it', async () => {
    await rollcall.admin('GET', '/servers') // makes "default"
    for (const [route, { requestBody }] of operations) {
      const [method = '', path = ''] = route.split(' ')
      const id = route === 'PATCH /organizations/{id}' ? 'default' : '0123456789abcdef'
      const at = path.replace('{id}', id).replace(/\{(?:name|tool)\}/, 'x')
      const answer = await rollcall.admin(method, at)
      assert.notEqual(answer.json?.error?.code, 'endpoint_not_found', route)
      const isNeeded = requestBody?.required === true
      assert.equal(answer.status === 415, isNeeded, `${route}: ${answer.text}`)
    }
  })

  it('accepts the samples as server files, and refuses what the API refuses', async () => {
    const body = find('POST /servers').requestBody
    const files = await samples()
    assert.ok(files.length > 0)
    for (const file of files) {
      const { valid, errors } = accepts(body, file)
      assert.ok(valid, `${file.name}: ${JSON.stringify(errors)}`)
    }
    const wrong: object[] = [
      {},
      serverFile('Unknown', [], { surprise: 1 }),
      serverFile('Status', [], { status: 'asleep' }),
      serverFile('Slug', [], { slug: 'Not A Slug' }),
      serverFile('Tool', [{ name: 'bare' }]),
      serverFile('Schema', [tool('a', { inputSchema: { type: 'array' } })]),
      serverFile('Handler', [tool('a', { handler: { kind: 'magic' } })]),
    ]
    for (const file of wrong) {
      assert.equal((await rollcall.admin('POST', '/servers', file)).status, 422)
      assert.equal(accepts(body, file).valid, false, JSON.stringify(file))
    }
  })

  it('describes the answers as they are', async () => {
    const { id, endpoint } = await createServer(rollcall, serverFile('Shown', [tool('a')]))
    assert.equal(endpoint, `${PUBLIC_URL}/mcp/shown/${id}`)
    const body = { name: 'K', server: id, tools: ['a'] }
    const key = await rollcall.admin('POST', '/keys', body)
    const variable = { label: 'v', type: 'string', values: { production: 'x' } }
    const madeVariable = await rollcall.admin('POST', '/variables', variable)
    const auth = { type: 'bearer', token: { value: 'hush' } }
    const madeConnection = await rollcall.admin('POST', '/connections', { name: 'c', auth })
    const asked: [route: string, path: string][] = [
      ['GET /variables', '/variables'],
      ['GET /variables/{id}', `/variables/${madeVariable.json.id}`],
      ['GET /connections', '/connections'],
      ['GET /connections/{id}', `/connections/${madeConnection.json.id}`],
      ['GET /audit', '/audit'],
      ['GET /calls', '/calls'],
      ['GET /keys', '/keys'],
      ['GET /keys/{id}', `/keys/${key.json.id}`],
      ['GET /organizations', '/organizations'],
      ['GET /organizations/{id}', '/organizations/default'],
      ['GET /secrets', '/secrets'],
      ['GET /servers', '/servers'],
      ['GET /servers/{id}', `/servers/${id}`],
      ['GET /servers/{id}/export', `/servers/${id}/export`],
      ['GET /servers/{id}/preview', `/servers/${id}/preview`],
      ['GET /servers/{id}/revisions', `/servers/${id}/revisions`],
      ['GET /servers/{id}/tools', `/servers/${id}/tools?limit=1`],
      ['GET /servers/{id}/tools/{name}', `/servers/${id}/tools/a`],
      ['GET /sessions', `/sessions?server=${id}`],
    ]
    const far = await createServer(
      rollcall,
      remoteFile('Far', { overrides: { a: { title: 'A' } } }),
    )
    const read = snapshot([remoteTool('a'), { name: 'bare' }], { serverInfo: { name: 'Far' } })
    await applySnapshot(rollcall, far.id, read)
    const ofRemote: [route: string, path: string][] = [
      ['GET /servers', '/servers'],
      ['GET /servers/{id}', `/servers/${far.id}`],
      ['GET /servers/{id}/export', `/servers/${far.id}/export`],
      ['GET /servers/{id}/preview', `/servers/${far.id}/preview`],
      ['GET /servers/{id}/tools', `/servers/${far.id}/tools`],
      ['GET /servers/{id}/tools/{name}', `/servers/${far.id}/tools/a`],
    ]
    for (const [route, path] of [...asked, ...ofRemote]) {
      const { status, json } = await rollcall.admin('GET', path)
      assert.equal(status, 200, path)
      const { valid, errors } = accepts(find(route).responses['200'], json)
      assert.ok(valid, `${route}: ${JSON.stringify(errors)}`)
    }
    for (const route of ['POST /servers', 'PUT /servers/{id}']) {
      const [method = '', path = ''] = route.replace('{id}', id).split(' ')
      const file = serverFile('Dry', [tool('a')])
      const { status, json } = await rollcall.admin(method, `${path}?dryRun=true`, file)
      assert.equal(status, 200, route)
      assert.ok(accepts(find(route).responses['200'], json).valid, route)
    }
    assert.ok(accepts(find('POST /keys').responses['201'], key.json).valid)
    assert.ok(accepts(find('POST /keys').requestBody, body).valid)
    const refused = await rollcall.admin('POST', '/servers', { tools: [] })
    const { Error: schema } = document.components.schemas
    assert.ok(new Validator(schema, '2020-12').validate(refused.json).valid)
    for (const patch of [{}, { name: 'N' }, { ttlMs: null, description: null }]) {
      assert.ok(accepts(find('PATCH /servers/{id}').requestBody, patch).valid)
    }
  })
})
