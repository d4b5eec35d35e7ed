/** Calls of remote tools that a person has to do with (`surfaces.md` D19). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Approval } from '../../src/catalog/approval.ts'
import { Catalog } from '../../src/catalog/catalog.ts'
import { formatPublished } from '../../src/catalog/published.ts'
import { remoteItems } from '../../src/catalog/remote-items.ts'
import { parseServerFile } from '../../src/catalog/server-file.ts'
import type { ApprovalPolicy } from '../../src/catalog/server.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import type { CallExchange } from '../../src/methods/found-call.ts'
import { prepareCall, toolsCall } from '../../src/methods/tools-call.ts'
import { approved } from '../support/approvals.ts'
import { ORGANIZATION, readPublished, SERVER_ID } from '../support/catalogs.ts'
import { asSent, exchangeOf } from '../support/exchanges.ts'
import { remoteFile, remoteTool } from '../support/remotes.ts'

const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, units: { type: 'string', default: 'metric' } },
  required: ['city'],
}
const WEATHER = remoteTool('weather', { inputSchema })

let revision = 0
function catalogOf(live: object, policy: ApprovalPolicy, approvals: readonly Approval[]): Catalog {
  const { settings } = parseServerFile(remoteFile('Far', { approvalPolicy: policy }))
  const raw = { tools: [JSON.stringify(live)], prompts: [], resources: [], resourceTemplates: [] }
  const { items } = remoteItems(raw, {}, { policy, approvals })
  revision += 1
  const server = { organization: ORGANIZATION, id: SERVER_ID, revision, settings }
  return new Catalog(readPublished(formatPublished(server, items)), new BoundedMap(1024))
}
const perTool = (live: object, members: Partial<Approval> = {}) =>
  catalogOf(live, 'require_approval_per_tool', [approved(WEATHER, members)])

const params = (args: object) => ({ name: 'weather', arguments: { ...args } })
const call = async (catalog: Catalog, args: object) =>
  asSent(await toolsCall(exchangeOf(catalog, { params: params(args) })))
const workOf = async (catalog: Catalog, args: object, members: Partial<CallExchange> = {}) =>
  (await prepareCall({ ...exchangeOf(catalog, { params: params(args) }), ...members })).work

const ASKING = {
  'a server whose calls all ask': catalogOf(WEATHER, 'require_approval_all', []),
  'a tool that was approved to ask': perTool(WEATHER, { policy: 'requires_approval' }),
}

describe('a call that a person must approve', () => {
  for (const [what, catalog] of Object.entries(ASKING)) {
    it(`is refused by ${what}, before anybody is reached, with a code`, async () => {
      const { content, isError, structuredContent } = await call(catalog, { city: 'Graz' })
      assert.equal(isError, true)
      assert.match(content[0].text, /person must approve each call of weather/)
      const error = { code: 'approval_required', message: content[0].text }
      assert.deepEqual(structuredContent, { error })
    })

    it(`is made of ${what} when a person allows it`, async () => {
      const work = await workOf(catalog, { city: 'Graz' }, { isAllowed: true })
      assert.equal(work.kind, 'relay')
    })

    it(`has its arguments checked first by ${what}`, async () => {
      const { content } = await call(catalog, {})
      assert.match(content[0].text, /Invalid arguments/)
    })
  }
})

describe('a call of a tool that has changed since it was approved', () => {
  const changed = (members: object) => ({
    ...WEATHER,
    inputSchema: { ...inputSchema, ...members },
  })

  it('is made where the arguments fit both', async () => {
    const live = changed({ properties: { ...inputSchema.properties, day: {} } })
    const work = await workOf(perTool(live), { city: 'Graz' })
    assert.equal(work.kind, 'relay')
    const sent = work.kind === 'relay' ? work.call.params : {}
    assert.deepEqual(sent, params({ city: 'Graz', units: 'metric' }))
  })

  it('is refused where they do not fit what it is now, which is said', async () => {
    const live = changed({ required: ['city', 'country'] })
    const { content, isError, structuredContent } = await call(perTool(live), { city: 'Graz' })
    assert.equal(isError, true)
    assert.match(content[0].text, /has changed since it was approved[^]*\/country: is required/)
    assert.equal(structuredContent.error.code, 'tool_changed')
  })

  it('has the filled arguments checked against what it is now', async () => {
    const properties = { ...inputSchema.properties, units: { enum: ['K'] } }
    const { content } = await call(perTool(changed({ properties })), { city: 'Graz' })
    assert.match(content[0].text, /\/units/)
  })

  it('is refused to whom a person allows it, too', async () => {
    const live = changed({ required: ['country'] })
    const work = await workOf(perTool(live), { city: 'Graz' }, { isAllowed: true })
    assert.equal(work.kind, 'static')
  })

  it('is for the remote server to judge where its dialect is not known here', async () => {
    const live = changed({ $schema: 'https://example.com/odd', required: ['country'] })
    assert.equal((await workOf(perTool(live), { city: 'Graz' })).kind, 'relay')
  })
})
