/** One server on three surfaces: hosted serves it, convai looks it over, the gateway shows it (`surfaces.md` U.1). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { askGateway, onlyEvent } from '../support/acme.ts'
import { createServer } from '../support/admin.ts'
import { convaiOf, memberKey, type Convai } from '../support/convai.ts'
import { eventually } from '../support/eventually.ts'
import { legacy, LIST } from '../support/messages.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { serverFile, tool } from '../support/servers.ts'

type Listed = { name: string; description?: string }

describe('A server of ours behind a configuration', () => {
  let relay: Relay
  let convai: Convai
  let hosted: string
  let remote: string
  let configuration: string
  const admin = (method: string, path: string, body?: object) =>
    relay.rollcall.admin(method, path, body)

  before(async () => {
    relay = await startRelay()
    const { rollcall } = relay
    convai = convaiOf(rollcall, (await memberKey(rollcall)).secret)
    const tools = [tool('get_weather'), tool('get_forecast')]
    hosted = (await createServer(rollcall, serverFile('Weather', tools))).id
    const made = await convai.sdk.conversationalAi.mcpServers.create({
      config: {
        url: `${rollcall.url}/mcp/weather/${hosted}`,
        name: 'Weather elsewhere',
        transport: 'STREAMABLE_HTTP',
        approvalPolicy: 'require_approval_per_tool',
      },
    })
    configuration = made.id
    const { json } = await admin('GET', '/servers')
    remote = json.items.find(
      (item: { configuration?: string }) => item.configuration === made.id,
    ).id
    await admin('PATCH', `/servers/${remote}`, { gateway: true })
  })
  after(() => relay.close())

  const states = async () => {
    const { toolApprovalStatuses } =
      await convai.sdk.conversationalAi.mcpServers.tools.list(configuration)
    return toolApprovalStatuses?.map(({ state }) => state)
  }
  const listed = async (): Promise<Listed[]> => {
    const { tools } = onlyEvent(await askGateway(relay.rollcall, convai.key, LIST)).result
    return tools.filter(({ name }: Listed) => name.startsWith('org__weather-elsewhere__'))
  }

  it('is discovered live, and is on the gateway only as far as a person approved it', async () => {
    assert.deepEqual(await states(), ['not_approved', 'not_approved'])
    assert.deepEqual(await listed(), [])
    const { tools } = await convai.sdk.conversationalAi.mcpServers.tools.list(configuration)
    await convai.sdk.conversationalAi.mcpServers.toolApprovals.create(configuration, {
      toolName: 'get_weather',
      toolDescription: tools[0]?.description ?? '',
      inputSchema: tools[0]?.inputSchema ?? {},
      approvalPolicy: 'auto_approved',
    })
    assert.deepEqual(await states(), ['up_to_date', 'not_approved'])
    const [shown] = await eventually(listed, (all) => all.length === 1)
    assert.equal(shown?.name, 'org__weather-elsewhere__get_weather')
    const call = legacy('tools/call', { name: shown?.name, arguments: {} })
    const called = onlyEvent(await askGateway(relay.rollcall, convai.key, call))
    assert.equal(called.result.content[0].text, 'get_weather ran')
  })

  it('stays as it was approved when it changes, until a person approves that', async () => {
    await admin('PATCH', `/servers/${hosted}/tools/get_weather`, { description: 'Another' })
    await eventually(states, (now) => now?.[0] === 'needs_review')
    await admin('POST', `/servers/${remote}/refresh`)
    assert.equal((await listed())[0]?.description, 'The tool get_weather')
    const { json: drift, headers } = await admin('GET', `/servers/${remote}/drift`)
    assert.match(JSON.stringify(drift), /"description"/)
    const revision = Number(JSON.parse(headers.get('etag') ?? ''))
    const body = { tools: [{ name: 'get_weather' }], revision }
    assert.equal((await admin('POST', `/servers/${remote}/approve`, body)).status, 200)
    await eventually(listed, ([only]) => only?.description === 'Another')
    assert.deepEqual(await states(), ['up_to_date', 'not_approved'])
  })
})
