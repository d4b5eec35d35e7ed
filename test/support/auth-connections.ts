/** Auth connections as tests of convai make them, for the tests of a `describe`. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { convaiOf, memberKey, type Convai } from './convai.ts'
import { startRollcall, type Rollcall } from './rollcall.ts'

export const CONNECTIONS = '/v1/workspace/auth-connections'
/** What must not be told. */
export const SECRET = 'hush-hush-sweet-secret'

/** A Worker and a member's official client, there once the tests run; and what they ask. */
export function useConnections() {
  let rollcall: Rollcall
  let convai: Convai
  before(async () => {
    rollcall = await startRollcall()
    convai = convaiOf(rollcall, (await memberKey(rollcall)).secret)
  })
  after(() => rollcall.close())

  const connections = () => convai.sdk.workspace.authConnections
  return {
    get rollcall() {
      return rollcall
    },
    get convai() {
      return convai
    },
    connections,
    /** Makes one with a bearer token. */
    bearer: (name: string) =>
      connections().create({ authType: 'bearer_auth', name, provider: 'p', token: SECRET }),
    /** The places of what is wrong, where the secret is not told. */
    wrong: async (body: object, method = 'POST', path = CONNECTIONS) => {
      const { status, text, json } = await convai.ask(method, path, body)
      assert.equal(status, 422, text)
      assert.ok(!text.includes(SECRET))
      return json.detail.map(({ loc }: { loc: unknown[] }) => loc.join('.'))
    },
  }
}
