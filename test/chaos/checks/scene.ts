/** What a check looks at, and how it tells of what it found. */
import { parsePublished, type Gone, type Published } from '../../../src/catalog/published.ts'
import type { Client } from '../client.ts'
import type { Random } from '../random.ts'
import type { Victim } from '../victim.ts'
import type { World } from '../world.ts'

export type Scene = { world: World; victim: Victim; client: Client; random: Random }

/** What KV holds of servers, by id; undefined where it holds nothing. */
export async function readPublished(
  { victim }: Scene,
  keys: readonly string[],
): Promise<(Published | Gone | undefined)[]> {
  const values = await victim.readKv([...keys])
  return values.map((bytes) => bytes && parsePublished(bytes))
}

export async function readTexts({ victim }: Scene, keys: readonly string[]) {
  const values = await victim.readKv([...keys])
  return values.map((bytes) => bytes && new TextDecoder().decode(bytes))
}

export function violate({ world }: Scene, text: string | undefined): void {
  if (text !== undefined) world.violations.push(text)
}
