/** E1 where the remote server is as broken as they are (`convai-api.md` §2, §9). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useListing } from '../support/convai-listing.ts'
import { startFar } from '../support/upstreams/far.ts'
import { drop } from '../support/upstreams/recording.ts'

describe('GET /v1/convai/mcp-servers/:id/tools', () => {
  const world = useListing()
  const { configure, toolsOf, list } = world

  describe('of a remote server that cannot be listed', () => {
    const SECRET = 'sekret-token-0123456789'
    const FAILURES: [what: string, break_: () => void, message: RegExp][] = [
      [
        'is down',
        () => (world.far.answer = (_seen, response) => void response.writeHead(503).end()),
        /503/,
      ],
      [
        'breaks off',
        () => (world.far.answer = (_seen, response) => drop(response)),
        /reached|broke/,
      ],
      ['is slow', () => (world.far.answer = (seen) => seen.aborted), /did not answer|within|took/],
      [
        'lets us not in',
        () =>
          (world.far.answer = (seen, response) =>
            void response.writeHead(401).end(`no: ${seen.headers.authorization}`)),
        /401|credential|authoriz/i,
      ],
      [
        'is a web page',
        () =>
          (world.far.answer = (_seen, response) =>
            void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>')),
        /no JSON/,
      ],
      [
        'redirects to where nobody may be asked',
        () =>
          (world.far.answer = (_seen, response) =>
            void response.writeHead(307, { location: `https://u:${SECRET}@127.0.0.1/` }).end()),
        /user name or password/,
      ],
      [
        'answers an error',
        () =>
          (world.far.answer = (seen, response) =>
            void response.writeHead(200, { 'content-type': 'application/json' }).end(
              JSON.stringify({
                jsonrpc: '2.0',
                id: seen.body.id,
                error: { code: -32000, message: `bad ${SECRET}` },
              }),
            )),
        /./,
      ],
    ]
    for (const [what, breakFar, message] of FAILURES) {
      it(`says that it ${what}, and no secret`, async () => {
        await world.relay.rollcall.admin('PUT', '/secrets/far', { value: SECRET })
        const auth = { type: 'bearer', token: { secret: 'far' } }
        const id = await configure(world.far.url, { auth, timeoutSeconds: 1 })
        breakFar()
        const { status, json, text } = await toolsOf(id)
        assert.equal(status, 200)
        const { error_message: said, ...rest } = json
        assert.deepEqual(rest, { success: false, tools: [], tool_approval_statuses: [] })
        assert.match(said, message)
        assert.ok(!text.includes(SECRET), text)
        const { success, errorMessage } = await list(id)
        assert.deepEqual([success, typeof errorMessage], [false, 'string'])
      })
    }

    it('says that nobody listens there', async () => {
      const { url } = world.far
      const id = await configure(url)
      await world.far.close()
      const { success, errorMessage } = await list(id)
      assert.equal(success, false)
      assert.match(errorMessage ?? '', /reached/)
      world.far = await startFar()
    })

    it('works again as soon as it does', async () => {
      const id = await configure()
      world.far.answer = (_seen, response) => void response.writeHead(503).end()
      assert.equal((await list(id)).success, false)
      world.far.answer = undefined
      assert.equal((await list(id)).success, true)
    })
  })
})
