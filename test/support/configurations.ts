/** Configurations as tests of convai make them: a Worker with two secrets, and a member's official client. */
import { ElevenLabsError, type ElevenLabs } from '@elevenlabs/elevenlabs-js'
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { readServer } from './admin.ts'
import { convaiOf, memberKey, type Convai } from './convai.ts'
import { REMOTE_URL } from './remotes.ts'
import { startRollcall, type Answer, type Rollcall } from './rollcall.ts'

export const SERVERS = '/v1/convai/mcp-servers'
/** An id that nothing has. */
export const MADE_UP = `mcps_${'0'.repeat(20)}`

/** A Worker to configure in, there once the tests of a file run; its configurations, and a new one. */
export function useConfiguring() {
  let rollcall: Rollcall
  let convai: Convai
  before(async () => {
    ;({ rollcall, convai } = await startConfiguring())
  })
  after(() => rollcall.close())

  return {
    get rollcall() {
      return rollcall
    },
    get convai() {
      return convai
    },
    servers: () => convai.sdk.conversationalAi.mcpServers,
    /** Makes a configuration of a remote server that is not asked. */
    create: (config: Partial<ElevenLabs.McpServerConfigInput> = {}) =>
      convai.sdk.conversationalAi.mcpServers.create({
        config: { url: REMOTE_URL, name: 'Far', ...config },
      }),
  }
}

/** What a client throws, by its status and code. */
export async function refusalOf(asking: Promise<unknown>) {
  try {
    await asking
  } catch (error) {
    assert.ok(error instanceof ElevenLabsError, String(error))
    const { detail } = error.body as { detail: { code: string } }
    return { name: error.name, status: error.statusCode, code: detail.code }
  }
  throw new Error('it was not refused')
}

/** The places of what is wrong. */
export function places({ status, text, json }: Answer): string[] {
  assert.equal(status, 422, text)
  return json.detail.map(({ loc }: { loc: (string | number)[] }) => loc.join(' '))
}

/** The server of a configuration, as the admin API tells it. */
export async function serverOf(rollcall: Rollcall, { id }: { id: string }) {
  const { json } = await rollcall.admin('GET', '/servers?limit=1000')
  const found = json.items.find(({ configuration }: { configuration?: string }) => {
    return configuration === id
  })
  assert.ok(found)
  return readServer(rollcall, found.id)
}

/** A Worker where a configuration may name `secret_a` and `secret_b`. */
async function startConfiguring(): Promise<{ rollcall: Rollcall; convai: Convai }> {
  const rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
  const convai = convaiOf(rollcall, (await memberKey(rollcall)).secret)
  for (const name of ['secret_a', 'secret_b']) {
    const put = await rollcall.admin('PUT', `/secrets/${name}`, { value: 'a value' })
    assert.equal(put.status, 201, put.text)
  }
  return { rollcall, convai }
}
