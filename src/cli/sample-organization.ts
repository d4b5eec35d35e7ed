/**
 * The sample of the gateway: organization `acme`, with who asks and what there is for whom, over the
 * admin API. What is absent is made, what is there stays as it is; an organization of that name that
 * has other servers is somebody's own, and left alone. Keys get another secret with each start, since
 * a secret is answered once and kept nowhere.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AdminError, type AdminClient } from './admin-client.ts'

export const SAMPLE_ORGANIZATION = 'acme'
const FOLDER = join(import.meta.dirname, '../samples', SAMPLE_ORGANIZATION)

type Item = Readonly<Record<string, unknown>> & { id: string }

/** A remote server whose tools a person approves one by one; the weather sample is behind it. */
const REMOTE = {
  id: '0acde1e5a0b1c2d7',
  name: 'Weather elsewhere',
  slug: 'weather-elsewhere',
  kind: 'remote',
  approvalPolicy: 'require_approval_per_tool',
}

/** The secrets of the sample's keys, and the id that convai has for its remote server. */
export type SampleKeys = { member: string; agent: string; server: string; configuration: string }

/**
 * Makes what is absent; `within` asks in the organization, and `weather` is the endpoint of the weather
 * sample. Undefined for somebody's own.
 */
export async function applySampleOrganization(
  deployment: AdminClient,
  within: AdminClient,
  weather: string,
): Promise<SampleKeys | undefined> {
  if (!(await exists(deployment, `/organizations/${SAMPLE_ORGANIZATION}`))) {
    await deployment.post('/organizations', JSON.stringify({ name: SAMPLE_ORGANIZATION }))
  }
  const files = (await readdir(FOLDER)).toSorted()
  const texts = await Promise.all(files.map((name) => readFile(join(FOLDER, name), 'utf8')))
  const servers = new Map(texts.map((text) => [idAndSlug(text), text] as const))
  const there = await list(within, '/servers')
  const ids = new Map([...servers.keys()].map(({ slug, id }) => [slug, id]))
  if (there.length > 0 && !there.some(({ id }) => [...ids.values()].includes(id))) return undefined
  for (const [{ id }, text] of servers) {
    if (!there.some((server) => server.id === id)) await within.put(`/servers/${id}`, text)
  }

  const make = async (path: string, find: object, rest: object = {}) =>
    (await findItem(within, path, find)) ?? post(within, path, { ...find, ...rest })
  const ada = await make('/members', { name: 'Ada' }, { role: 'admin' })
  const ben = await make('/members', { name: 'Ben' })
  const robin = await make('/agents', { name: 'Robin' })

  const account = (slug: string, alias: string, rest: object = {}) =>
    make('/accounts', { server: ids.get(slug), alias }, { credential: { token: 'none' }, ...rest })
  await account('notion', 'ada', { owner: ada.id, identity: 'ada@acme.example' })
  const team = await account('notion', 'team', { identity: 'team@acme.example' })
  const posts = await account('twitter', '@acme', { identity: '@acme', state: 'needs_reauth' })
  await make('/grants', { account: team.id, to: 'everybody' }, { tools: ['create_page'] })
  await make('/grants', { account: team.id, to: { agent: robin.id } })
  await make('/grants', { account: posts.id, to: { member: ben.id } })
  const entries = [{ server: ids.get('notion'), tools: ['create_page'] }]
  await make('/environments', { name: 'support' }, { entries })

  const key = async (find: object) => {
    const named = { name: 'Sample', ...find }
    const made = await findItem(within, '/keys', named)
    const { secret } = await post(
      within,
      made ? `/keys/${made.id}/rotate` : '/keys',
      made ? {} : named,
    )
    return String(secret)
  }
  return {
    member: await key({ kind: 'member', principal: ben.id }),
    agent: await key({ kind: 'agent', principal: robin.id }),
    server: await key({ kind: 'server', server: ids.get('memory') }),
    configuration: await applyRemote(within, weather),
  }
}

/** Has the remote server at this URL, which is another one with each port; the id of its configuration. */
async function applyRemote(within: AdminClient, url: string): Promise<string> {
  const path = `/servers/${REMOTE.id}`
  const there = (await list(within, '/servers')).find(({ id }) => id === REMOTE.id)
  const isThere = (there?.['remote'] as { url?: unknown } | undefined)?.url === url
  if (!isThere) await within.put(path, JSON.stringify({ ...REMOTE, remote: { url } }))
  const { body } = await within.get(path)
  return String((body as Item)['configuration'])
}

/** Whether there is something at a path. */
export async function exists(client: AdminClient, path: string): Promise<boolean> {
  try {
    await client.get(path)
    return true
  } catch (error) {
    if (error instanceof AdminError && error.status === 404) return false
    throw error
  }
}

function idAndSlug(text: string): { id: string; slug: string } {
  return JSON.parse(text) as { id: string; slug: string }
}

async function list(client: AdminClient, path: string): Promise<Item[]> {
  const { body } = await client.get(`${path}?limit=1000`)
  return (body as { items: Item[] }).items
}

/** The first that has all these members. */
async function findItem(client: AdminClient, path: string, members: object) {
  const wanted = Object.entries(members)
  return (await list(client, path)).find((item) =>
    wanted.every(([name, value]) => JSON.stringify(item[name]) === JSON.stringify(value)),
  )
}

async function post(client: AdminClient, path: string, body: object): Promise<Item> {
  return (await client.post(path, JSON.stringify(body))).body as Item
}
