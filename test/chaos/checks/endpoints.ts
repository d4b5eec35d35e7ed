/** What clients see after a restart: each server's list as its organization has it, at its endpoints. */
import type { Answer } from '../client.ts'
import { SLUGS } from '../attempts.ts'
import type { ServerState } from '../model.ts'
import type { ServerRecord } from '../world.ts'
import { violate, type Scene } from './scene.ts'

export async function checkEndpoints(scene: Scene): Promise<void> {
  const { world } = scene
  const isThere = ({ standing }: ServerRecord) => standing.state !== undefined
  for (const record of world.servers) {
    const { id, slug, standing } = record
    const isHeld = world.servers.some((other) => other.id === id && isThere(other))
    if (!isThere(record) && isHeld) continue // another organization has the id now
    await checkEndpoint(scene, `/mcp/${slug}/${id}`, record, standing.state)
  }
  for (const slug of SLUGS) {
    const record = world.servers.find(({ standing: { state } }) => {
      return state?.settings.vanity === true && state.settings.slug === slug
    })
    await checkEndpoint(scene, `/mcp/${slug}`, record, record?.standing.state)
  }
}

async function checkEndpoint(
  scene: Scene,
  path: string,
  record: ServerRecord | undefined,
  state: ServerState,
): Promise<void> {
  const key = scene.world.keys.find((one) => one.server === record && one.state === 'live')
  const expected = expectedAnswer(state, key !== undefined)
  const actual = seen(await scene.client.list(path, key?.secret))
  if (actual === expected) return
  violate(scene, `${path} is ${actual}, should be ${expected}`)
}

function expectedAnswer(state: ServerState, hasKey: boolean): string {
  if (state === undefined || state.settings.status === 'draft') return '404'
  if (state.settings.status === 'paused') return '503'
  if (state.settings.auth === 'key' && !hasKey) return '401'
  const tools = state.tools.filter(({ status }) => status === 'active')
  return tools.map(({ name, description }) => `${name} ${description}`).join()
}

function seen({ status, json, text }: Answer): string {
  if (status !== 200) return String(status)
  if (json.result === undefined) return text
  const tools: { name: string; description: string }[] = json.result.tools
  return tools.map(({ name, description }) => `${name} ${description}`).join()
}
