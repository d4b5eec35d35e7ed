/** An organization for the bench: five connectors of 200 tools, and two members who have one of them. */
import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { LIST } from '../support/messages.ts'
import { OPERATOR_TOKEN } from './rollcall.ts'
import { benchTools } from './tools.ts'

export const CONNECTORS = 5
export const TOOLS_OF_EACH = 200
const SEEN = 2 // in the midst, so that what is shown stands apart from what is not

/** The keys of two members who see the same. */
export type Callers = { first: string; second: string }

/** Makes it, and waits until both are listed what is theirs. */
export async function fillGateway(url: URL): Promise<Callers> {
  const tools = benchTools(CONNECTORS * TOOLS_OF_EACH)
  const handler = { kind: 'static', result: { content: [{ type: 'text', text: 'done' }] } }
  let server = ''
  for (let n = 0; n < CONNECTORS; n++) {
    const own = tools.slice(n * TOOLS_OF_EACH, (n + 1) * TOOLS_OF_EACH)
    const name = `bench-${n}`
    const settings = { name, slug: name, gateway: name, account: 'required', auth: 'key' }
    const file = { ...settings, tools: own.map((tool) => ({ ...tool, handler })) }
    const { id } = await write(url, '/servers', file)
    if (n === SEEN) server = id
  }
  const [first, second] = [await member(url, server, 'one'), await member(url, server, 'two')]
  for (const key of [first, second]) {
    await eventually(
      () => listed(url, key),
      (text) => text.split(`"name":"bench-${SEEN}__`).length === TOOLS_OF_EACH + 1,
    )
  }
  return { first, second }
}

async function member(url: URL, server: string, alias: string): Promise<string> {
  const { id } = await write(url, '/members', { name: alias, role: 'member' })
  await write(url, '/accounts', { server, owner: id, alias, credential: { token: alias } })
  const key = await write(url, '/keys', { name: alias, kind: 'member', principal: id })
  return key.secret
}

async function listed(url: URL, key: string): Promise<string> {
  const response = await fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(LIST),
  })
  return response.text()
}

async function write(
  url: URL,
  path: string,
  body: object,
): Promise<{ id: string; secret: string }> {
  const response = await fetch(new URL(`/api/v1${path}`, url), {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  assert(response.ok, `${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}
