/** Remote servers with a tool that a person approves, in a relay for the tests of a file. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { legacy, LIST } from './messages.ts'
import { refresh } from './remote-records.ts'
import { startRelay, type Relay } from './relay.ts'
import { startModernMcp, type ModernMcp } from './upstreams/mcp-modern.ts'

type Policy = 'auto_approved' | 'requires_approval'
type Chosen = Record<string, Policy | undefined>

export const HEADERS = { 'mcp-protocol-version': '2025-11-25' }
/** The tool as a server offers it at first. */
export const WEATHER = {
  name: 'weather',
  description: 'The weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  annotations: { readOnlyHint: true },
}

/** The drift of one tool, if there is any. */
export const driftIn = ({ tools }: { tools: { name: string }[] }, name = 'weather') =>
  tools.find((tool) => tool.name === name)

/** A relay that runs with the tests, and what makes servers in it. */
export function setUpApproving() {
  let relay: Relay
  before(async () => {
    relay = await startRelay()
  })
  after(() => relay.close())

  const open: ModernMcp[] = []
  after(() => Promise.all(open.map((upstream) => upstream.close())))

  /** Makes a server with the tool `weather`, approved as chosen. */
  return async function setUp(chosen: Chosen = {}, approvalPolicy = 'require_approval_per_tool') {
    const { rollcall } = relay
    const upstream = await startModernMcp({ kind: 'modern' })
    open.push(upstream)
    const offer = (members: object) =>
      upstream.world.tools.set('weather', {
        definition: { ...WEATHER, ...members },
        run: (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
      })
    offer({})
    const { id, endpoint } = await relay.serve(upstream.url, {}, { approvalPolicy })
    const drift = async () => {
      const answer = await rollcall.admin('GET', `/servers/${id}/drift`)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers.get('etag'), `"${answer.json.revision}"`)
      return answer.json
    }
    const approve = (tools: Chosen, revision?: number, headers: Record<string, string> = {}) => {
      const entries = Object.entries(tools).map(([name, policy]) => ({ name, policy }))
      return rollcall.admin('POST', `/servers/${id}/approve`, { revision, tools: entries }, headers)
    }
    if (Object.keys(chosen).length > 0) {
      const { status, text } = await approve(chosen, (await drift()).revision)
      assert.equal(status, 200, text)
    }
    return {
      rollcall,
      upstream,
      id,
      endpoint,
      offer,
      drift,
      approve,
      read: async () => assert.equal((await refresh(rollcall, id)).status, 200),
      listed: async () => (await rollcall.post(endpoint, LIST, HEADERS)).json.result.tools,
      call: async (args: object, name = 'weather') =>
        (await rollcall.post(endpoint, legacy('tools/call', { name, arguments: args }), HEADERS))
          .json,
      calls: () => upstream.requests.filter(({ body }) => body?.method === 'tools/call').length,
    }
  }
}
