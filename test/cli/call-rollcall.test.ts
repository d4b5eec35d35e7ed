/** `npm run call` against a real Rollcall. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { runProgram } from '../support/programs.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

const handler = {
  kind: 'static',
  result: { content: [{ type: 'text', text: 'Hello, {name}!' }] },
}
const inputSchema = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: ['name'],
}

describe('npm run call, answered by Rollcall', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
    const tools = [
      { name: 'greet', inputSchema, handler },
      { name: 'asleep', inputSchema, handler, status: 'paused' },
    ]
    const made = await rollcall.admin('POST', '/servers', { name: 'Hello', tools })
    assert.equal(made.status, 201, made.text)
  })
  after(() => rollcall.close())

  const call = (...args: string[]) => runProgram('call', [...args, '--url', rollcall.url])

  it('prints what the tool answers', async () => {
    assert.deepEqual(await call('hello', 'greet', '{"name":"Ada"}'), {
      code: 0,
      out: 'Hello, Ada!\n',
      err: '',
    })
  })

  it('exits with 1 and names the argument that does not fit', async () => {
    const { code, out } = await call('hello', 'greet', '{"name":7}')
    assert.equal(code, 1)
    assert.match(out, /\/name/)
  })

  it('exits with 1 where the tool is paused or unknown', async () => {
    const paused = await call('hello', 'asleep', '{"name":"Ada"}')
    assert.deepEqual(paused, {
      code: 1,
      out: '',
      err: 'tool_paused: The tool "asleep" is paused\n',
    })
    const unknown = await call('hello', 'nobody')
    assert.equal(unknown.code, 1)
    assert.match(unknown.err, /^tool_not_found: /)
  })
})
