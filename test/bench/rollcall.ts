/** Rollcall as a contender: its build, wrangler.toml's bindings, filling it by its admin API. */
import { setTimeout as wait } from 'node:timers/promises'
import { createAdminClient } from '../../src/cli/admin-client.ts'
import { readBindings } from './bindings.ts'
import { rollcallScript } from './build.ts'
import type { Build } from './launch.ts'
import type { BenchTool } from './tools.ts'

export const OPERATOR_TOKEN = 'bench-operator-token-0123456789'
export const SEAL_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
/** The settings of a deployment whose KV nobody can read. */
export const STRICT = { RESIDENCY: 'strict', NAME_KEY: Buffer.alloc(32, 2).toString('base64') }
const PUBLISHED_TIMEOUT_MS = 20_000
const POLL_MS = 50

/** Rollcall as wrangler builds it, with these settings besides. */
export async function rollcall(settings: Readonly<Record<string, string>> = {}): Promise<Build> {
  const { name, kv, limiters, objects, exports } = readBindings()
  return {
    name,
    script: await rollcallScript(),
    env: {
      ...kv,
      ...limiters,
      ...objects,
      ...texts({ OPERATOR_TOKEN, SEAL_KEYS, ...settings }),
    },
    exports,
  }
}

function texts(values: Readonly<Record<string, string>>): NonNullable<Build['env']> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { type: 'text', value }]),
  )
}

export type BenchServer = {
  id: string
  slug: string
  auth: 'none' | 'key'
  tools: BenchTool[]
  /** The MCP server it stands for, whose tools it has instead. */
  remote?: string
}

/** A server for the bench; `number` tells several apart. */
export function benchServer(
  tools: BenchTool[],
  { auth = 'none', number = 0 }: { auth?: 'none' | 'key'; number?: number } = {},
): BenchServer {
  const id = `be9c${String(number).padStart(12, '0')}`
  return { id, slug: `bench-${number}`, auth, tools }
}

export const pathOf = ({ slug, id }: BenchServer): string => `/mcp/${slug}/${id}`

/** Puts a server, and waits until it stands in KV: before that, lists come from its object. */
export async function putServer(
  url: URL,
  { id, slug, auth, tools, remote }: BenchServer,
): Promise<void> {
  const admin = createAdminClient(url.origin, OPERATOR_TOKEN)
  const handler = { kind: 'static', result: { content: [{ type: 'text', text: 'done' }] } }
  const offer =
    remote === undefined
      ? { tools: tools.map((tool) => ({ handler, ...tool })) }
      : { kind: 'remote', hosted: true, remote: { url: remote } }
  await admin.put(`/servers/${id}`, JSON.stringify({ name: slug, slug, auth, ...offer }))
  if (remote !== undefined) await write(url, 'POST', `/servers/${id}/refresh`, {})
  const deadline = Date.now() + PUBLISHED_TIMEOUT_MS
  for (;;) {
    const { body } = await admin.get(`/servers/${id}`)
    const { revision, publishedRevision } = body as { revision: number; publishedRevision: number }
    if (publishedRevision === revision) return
    if (Date.now() > deadline) throw new Error(`server ${id} did not come to KV`)
    await wait(POLL_MS)
  }
}

/** Makes a key that opens a server and shows these of its tools; its secret. */
export async function createKey(
  url: URL,
  { id }: BenchServer,
  tools: readonly string[],
): Promise<string> {
  const body = { name: 'bench', server: id, tools }
  return ((await write(url, 'POST', '/keys', body)) as { secret: string }).secret
}

/** Makes a key of a member who may do everything; its secret. */
export async function createMemberKey(url: URL): Promise<string> {
  const body = { name: 'bench', kind: 'member', role: 'owner' }
  return ((await write(url, 'POST', '/keys', body)) as { secret: string }).secret
}

/** Keeps a secret of the organization. */
export async function putSecret(url: URL, name: string, value: string): Promise<void> {
  await write(url, 'PUT', `/secrets/${name}`, { value })
}

/** Gives a tool another description: clients are told that the list has changed. */
export async function describeTool(
  url: URL,
  { id }: BenchServer,
  tool: string,
  description: string,
): Promise<void> {
  await write(url, 'PATCH', `/servers/${id}/tools/${tool}`, { description })
}

async function write(url: URL, method: string, path: string, body: object): Promise<unknown> {
  const response = await fetch(new URL(`/api/v1${path}`, url), {
    method,
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  const text = await response.text()
  return text === '' ? undefined : JSON.parse(text)
}
