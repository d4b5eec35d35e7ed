/** Server keys after a restart: those acknowledged open, those revoked do not, in KV as at the door. */
import { credentialKey } from '../../../src/catalog/kv.ts'
import { sha256Hex } from '../../../src/sealing/digest.ts'
import { until } from '../until.ts'
import { headerOf, type KeyRecord } from '../world.ts'
import { readTexts, violate, type Scene } from './scene.ts'

/** Compares the keys with what the organizations list; run after the servers were compared. */
export async function checkKeys(scene: Scene): Promise<void> {
  const { world } = scene
  const listed = await listKeys(scene)
  for (const key of world.keys) {
    const { server, id } = key
    const isLive = listed.has(id)
    const mustBe = server.organization.state === 'gone' || server.standing.state === undefined
    if (mustBe) key.state = 'revoked'
    if (key.state === 'live' && !isLive) violate(scene, `the key ${id} is lost`)
    if (key.state === 'revoked' && isLive) violate(scene, `the key ${id} came back`)
    key.state = isLive ? 'live' : 'revoked'
  }
  violate(scene, await until(() => differingKey(scene)))
  for (const key of world.keys) await checkDoor(scene, key)
  world.keys = world.keys.filter(({ state }) => state === 'live')
}

async function listKeys({ world, client }: Scene): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const organization of world.organizations.filter(({ state }) => state === 'live')) {
    const { json } = await client.admin(headerOf(organization), 'GET', '/keys?limit=1000')
    for (const { id } of json.items as { id: string }[]) ids.add(id)
  }
  return ids
}

async function differingKey(scene: Scene): Promise<string | undefined> {
  const { keys } = scene.world
  const texts = await readTexts(
    scene,
    keys.map(({ secret }) => credentialKey(sha256Hex(secret))),
  )
  for (const [index, { id, state }] of keys.entries()) {
    const there: string | undefined = JSON.parse(texts[index] ?? '{}').id
    if (there !== (state === 'live' ? id : undefined))
      return `the ${state} key ${id} is ${there} in KV`
  }
  return undefined
}

async function checkDoor(scene: Scene, { id, secret, server, state }: KeyRecord): Promise<void> {
  const settings = server.standing.state?.settings
  if (settings?.auth !== 'key' || settings.status !== 'active') return
  if (server.organization.state !== 'live') return
  const { status } = await scene.client.list(`/mcp/${settings.slug}/${server.id}`, secret)
  if (status === (state === 'live' ? 200 : 401)) return
  violate(scene, `the ${state} key ${id} is answered ${status}`)
}
