/** KV after a restart: it comes to hold the newest of every server, and no request has to ask for that. */
import { revisionKey, serverKey, vanityKey } from '../../../src/catalog/kv.ts'
import { SLUGS } from '../attempts.ts'
import { until } from '../until.ts'
import { headerOf, type OrganizationRecord, type ServerRecord } from '../world.ts'
import { readPublished, readTexts, violate, type Scene } from './scene.ts'

/** A server as the admin API lists it. */
export type Listed = {
  organization: OrganizationRecord
  id: string
  slug: string
  description: string
  vanity: boolean
  revision: number
  publishedRevision: number
}

/** Waits, asking no organization anything, until KV is where the acknowledged writes went. */
export async function checkFollowsUnasked(scene: Scene): Promise<void> {
  const servers = scene.world.servers.filter(({ organization }) => organization.state === 'live')
  const missing = await until(async () => {
    const published = await readPublished(
      scene,
      servers.map(({ id }) => serverKey(id)),
    )
    const late = servers.filter((server, index) => {
      const there = published[index]
      if (there !== undefined && there.organization !== server.organization.id) return false
      return (there?.revision ?? 0) < acknowledgedRevision(server)
    })
    return late.length === 0 ? undefined : `KV did not follow unasked: ${late.map(nameOf).join()}`
  })
  violate(scene, missing)
}

/** Waits until KV holds what the organizations say is the newest, and gives what they list. */
export async function checkConverges(scene: Scene): Promise<Listed[]> {
  const { world } = scene
  let listed: Listed[] = []
  const missing = await until(async () => {
    const live = world.organizations.filter(({ state }) => state === 'live')
    listed = (await Promise.all(live.map((one) => listServers(scene, one)))).flat()
    const behind = listed.filter(
      ({ revision, publishedRevision }) => revision !== publishedRevision,
    )
    if (behind.length > 0) return `not published: ${JSON.stringify(behind)}`
    return (
      (await missingPointers(scene, listed)) ??
      (await missingTombstones(scene, listed)) ??
      (await missingVanity(scene, listed))
    )
  })
  violate(scene, missing)
  for (const [what, names] of [
    ['id', listed.map(({ id }) => id)],
    ['vanity slug', listed.filter(({ vanity }) => vanity).map(({ slug }) => slug)],
  ] as const) {
    if (new Set(names).size < names.length)
      violate(scene, `two servers with one ${what}: ${names.join()}`)
  }
  return listed
}

export function acknowledgedRevision({ standing, sent }: ServerRecord): number {
  return Math.max(standing.revision, ...sent.map(({ revision }) => revision ?? 0))
}

async function listServers({ client }: Scene, organization: OrganizationRecord): Promise<Listed[]> {
  const answer = await client.admin(headerOf(organization), 'GET', '/servers?limit=1000')
  if (answer.status !== 200) throw new Error(`GET /servers: ${answer.status} ${answer.text}`)
  return answer.json.items.map((item: Omit<Listed, 'organization'>) => ({ ...item, organization }))
}

async function missingPointers(scene: Scene, listed: readonly Listed[]) {
  const newest = await readPublished(
    scene,
    listed.map(({ id }) => serverKey(id)),
  )
  const own = await readPublished(
    scene,
    listed.map(({ id, revision }) => revisionKey(id, revision)),
  )
  const wrong = listed.filter(({ organization, revision }, index) => {
    const isRight = (there: (typeof newest)[number]) =>
      there?.organization === organization.id && there.revision === revision && 'bytes' in there
    return !isRight(newest[index]) || !isRight(own[index])
  })
  return wrong.length > 0 ? `not in KV as listed: ${JSON.stringify(wrong)}` : undefined
}

async function missingTombstones(scene: Scene, listed: readonly Listed[]) {
  const gone = scene.world.servers.filter((one) => !listed.some(({ id }) => id === one.id))
  const published = await readPublished(
    scene,
    gone.map(({ id }) => serverKey(id)),
  )
  const wrong = gone.filter((_, index) => published[index] && !('deleted' in published[index]))
  return wrong.length > 0 ? `gone and still in KV: ${wrong.map(nameOf).join()}` : undefined
}

async function missingVanity(scene: Scene, listed: readonly Listed[]) {
  const texts = await readTexts(scene, SLUGS.map(vanityKey))
  for (const [index, slug] of SLUGS.entries()) {
    const server = listed.find((one) => one.vanity && one.slug === slug)
    const there: string | undefined = JSON.parse(texts[index] ?? '{}').server
    if (there !== server?.id) return `vanity:${slug} is ${there} in KV, should be ${server?.id}`
  }
  return undefined
}

export function nameOf({ organization, id, sent }: ServerRecord): string {
  return `${organization.name}/${id} after ${JSON.stringify(sent)}`
}
