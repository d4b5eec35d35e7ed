/**
 * Names after a restart: what is held is refused to others, and what no server has can be had by any
 * organization soon, above all what a killed write may have claimed.
 */
import { putServer, SERVER_IDS, SLUGS } from '../attempts.ts'
import { until } from '../until.ts'
import type { OrganizationRecord, World } from '../world.ts'
import { send } from '../writing.ts'
import { violate, type Scene } from './scene.ts'

const MOST_CLAIMS = 3

export async function checkNames(scene: Scene): Promise<void> {
  const { world, random } = scene
  const [first, second] = world.organizations // which are never deleted
  if (first === undefined || second === undefined) throw new Error('there are two from the start')
  const free = freeNames(world)
  const suspects = (names: string[]) => [
    ...random.shuffled(names.filter((name) => world.suspects.has(name))),
    ...random.shuffled(names.filter((name) => !world.suspects.has(name))),
  ]
  const slugs = suspects(free.slugs)
  const ids = suspects(free.ids).slice(0, MOST_CLAIMS)
  for (const [index, id] of ids.entries()) {
    await claim(scene, random.pick([first, second]), id, slugs[index])
  }
  await checkHeld(scene, [first, second])
  world.suspects.clear()
}

/** Makes a server under an id that is free, at a vanity slug that is free, if one is left. */
async function claim(
  scene: Scene,
  organization: OrganizationRecord,
  id: string,
  slug: string | undefined,
): Promise<void> {
  const { world, client, random } = scene
  const settings = { slug: slug ?? `own-${random.hex(8)}`, vanity: slug !== undefined }
  const missing = await until(async () => {
    const attempt = putServer(world, random, organization, id, settings)
    const answer = await send(world, client, attempt)
    if (answer?.status === 201 || answer?.json?.error?.code === 'slug_taken') return undefined
    return `${organization.name} cannot have ${id} at ${slug}, which are free: ${answer?.text}`
  })
  violate(scene, missing)
}

/** Every vanity slug that a server has is refused to the other organization, and so is an id. */
async function checkHeld(scene: Scene, organizations: OrganizationRecord[]): Promise<void> {
  const { world, random } = scene
  const held = world.servers.filter(({ believed }) => believed !== undefined)
  for (const [index, { organization, id, believed }] of random.shuffled(held).entries()) {
    const other = organizations.find((one) => one !== organization)
    if (other === undefined || believed === undefined) continue
    const { slug, vanity } = believed.settings
    if (vanity) await checkRefused(scene, other, random.hex(16), { slug, vanity })
    const own = { slug: `own-${random.hex(8)}`, vanity: false }
    if (index === 0) await checkRefused(scene, other, id, own)
  }
}

async function checkRefused(
  scene: Scene,
  organization: OrganizationRecord,
  id: string,
  settings: { slug: string; vanity: boolean },
): Promise<void> {
  const { world, client, random } = scene
  const attempt = putServer(world, random, organization, id, settings)
  const answer = await send(world, client, attempt)
  if (answer?.status === 409) return
  violate(scene, `${settings.slug}/${id} was given twice: ${answer?.status} ${answer?.text}`)
}

function freeNames({ servers }: World): { ids: string[]; slugs: string[] } {
  const states = servers.flatMap(({ id, believed }) => (believed ? [{ id, believed }] : []))
  return {
    ids: SERVER_IDS.filter((id) => !states.some((one) => one.id === id)),
    slugs: SLUGS.filter((slug) => {
      return !states.some(({ believed: { settings } }) => settings.vanity && settings.slug === slug)
    }),
  }
}
