/** Server files in a folder, pushed to a real Rollcall that has no servers before each test. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach } from 'node:test'
import { runProgram } from './programs.ts'
import { startRollcall, type Rollcall } from './rollcall.ts'

export const ID = 'c11c11c11c11c110'

/** A tool of such a file. */
export const tool = (name: string, members: object = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  handler: { kind: 'static', result: { content: [{ type: 'text', text: name }] } },
  ...members,
})

/** The file of the server under that id. */
export const serverFile = (tools: object[], members: object = {}) => ({
  id: ID,
  name: 'Pushed',
  slug: 'pushed',
  tools,
  ...members,
})

/** Has the tests of a `describe` push; `rollcall` and `folder` are there while one runs. */
export function setUpPushing() {
  let rollcall: Rollcall
  let folder: string
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rollcall-push-'))
    const { items } = (await rollcall.admin('GET', '/servers')).json
    for (const { id } of items) await rollcall.admin('DELETE', `/servers/${id}`)
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  return {
    get rollcall() {
      return rollcall
    },
    get folder() {
      return folder
    },
    save: (name: string, value: unknown) =>
      writeFile(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value)),
    push: (...args: string[]) => runProgram('push', [...args, '--url', rollcall.url], { folder }),
    exported: async (id = ID) => (await rollcall.admin('GET', `/servers/${id}/export`)).json,
  }
}
