/** Configurations of a remote server that lists what a test says, for the tests of a `describe`. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach } from 'node:test'
import { convaiOf, memberKey, type Convai } from './convai.ts'
import { startRelay, type Relay } from './relay.ts'
import { startFar, type Far } from './upstreams/far.ts'

/** The answer as the documentation prints it. */
export const SEED = {
  success: true,
  tools: [
    {
      name: 'weather_by_zapier_get_current',
      inputSchema: {
        properties: {
          latitude: { description: 'Latitude', type: 'string' },
          longitude: { description: 'Longitude', type: 'string' },
        },
        required: ['latitude', 'longitude'],
        type: 'object',
      },
      description: 'Gets current weather conditions for a location.',
    },
    {
      name: 'tool2',
      inputSchema: { properties: {}, type: 'object' },
      description: 'Description of tool2',
    },
  ],
  tool_approval_statuses: [],
}

/** A relay with a member's official client, and a remote server of each test with the tools of `SEED`. */
export function useListing() {
  let relay: Relay
  let convai: Convai
  let far: Far
  before(async () => {
    relay = await startRelay()
    convai = convaiOf(relay.rollcall, (await memberKey(relay.rollcall)).secret)
  })
  beforeEach(async () => {
    far = await startFar(SEED.tools)
  })
  afterEach(() => far.close())
  after(() => relay.close())

  return {
    get relay() {
      return relay
    },
    get far() {
      return far
    },
    /** Another in its place, where a test has closed it. */
    set far(another) {
      far = another
    },
    /** The id of a new configuration. */
    configure: async (url = far.url, remote: object = {}): Promise<string> => {
      const { configuration } = await relay.serve(url, remote, { hosted: false })
      assert.match(configuration, /^mcps_[0-9a-hjkmnp-tv-z]{20}$/)
      return configuration
    },
    toolsOf: (id: string, query = '') =>
      convai.ask('GET', `/v1/convai/mcp-servers/${id}/tools${query}`),
    list: (id: string, request: { environment?: string } = {}) =>
      convai.sdk.conversationalAi.mcpServers.tools.list(id, request),
  }
}
