/**
 * Kills Rollcall at random moments among random writes, starts it on what it left behind, and compares
 * it with everything it had acknowledged; again and again in one folder, so that what is left adds up.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createOrganization, deleteOrganization, PASSING } from './attempts.ts'
import { bundleWorker } from './bundle.ts'
import { checkAudit } from './checks/audit.ts'
import { checkEndpoints } from './checks/endpoints.ts'
import { checkKeys } from './checks/keys.ts'
import { checkNames } from './checks/names.ts'
import { checkOrganizations } from './checks/organizations.ts'
import { checkConverges, checkFollowsUnasked } from './checks/published.ts'
import type { Scene } from './checks/scene.ts'
import { checkStates } from './checks/states.ts'
import { createClient } from './client.ts'
import { createRandom, type Random } from './random.ts'
import { startVictim, type Victim } from './victim.ts'
import { createWorld, type World } from './world.ts'
import { send, writeUntilKilled } from './writing.ts'

const AGAIN = 0.2 // how often a kill is followed by one more while things are being put right
const AGAIN_WITHIN_MS = 1500

export type Crashes = {
  /** Fewer than asked for where something was wrong: later ones would tell of the same again. */
  kills: number
  counts: World['counts']
  /** What was lost, halved or left behind; empty when all is well. */
  violations: string[]
}

export type CrashOptions = { kills: number; seed: number; say: (line: string) => void }

/** Kills so often, or until something was wrong, and gives what was seen. */
export async function crash({ kills, seed, say }: CrashOptions): Promise<Crashes> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-crash-'))
  const random = createRandom(seed)
  const world = createWorld()
  let last: Victim | undefined
  const clean = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  const abandon = () => {
    void last?.kill() // its signal leaves at once
    clean()
  }
  process.once('exit', abandon)
  try {
    const bundle = await bundleWorker(join(folder, 'bundle'))
    const start = async () => (last = await startVictim(bundle, folder))
    let running = await start()
    await makeSecond(world, running)
    let killed = 0
    while (killed < kills && world.violations.length === 0) {
      await writeUntilKilled(world, running, random)
      killed++
      const since = performance.now()
      running = await start()
      while (killed < kills && random.chance(AGAIN)) {
        await pause(random.next() * AGAIN_WITHIN_MS)
        await running.kill()
        killed++
        running = await start()
      }
      await check(world, running, random)
      const ms = Math.round(performance.now() - since)
      say(`${killed} kills, ${JSON.stringify(world.counts)}, compared within ${ms} ms`)
    }
    return { kills: killed, counts: world.counts, violations: world.violations }
  } catch (error) {
    say(await readFile(join(folder, 'log'), 'utf8').catch(() => 'no log'))
    throw error
  } finally {
    await last?.kill()
    process.off('exit', abandon)
    clean()
  }
}

/** The organization beside the default one that names are fought for with. */
async function makeSecond(world: World, { url }: Victim): Promise<void> {
  const answer = await send(world, createClient(url), createOrganization(world, 'second'))
  if (answer?.status !== 201) throw new Error(`POST /organizations: ${answer?.text}`)
}

/** Deletes some of the passing organizations, so that the next kill finds them going. */
async function deleteSome({ world, client, random }: Scene): Promise<void> {
  for (const organization of world.organizations) {
    if (!PASSING.includes(organization.name) || organization.state !== 'live') continue
    if (random.chance(0.5)) await send(world, client, deleteOrganization(world, organization))
  }
}

async function check(world: World, victim: Victim, random: Random): Promise<void> {
  const scene: Scene = { world, victim, random, client: createClient(victim.url) }
  await checkFollowsUnasked(scene)
  await checkOrganizations(scene)
  const listed = await checkConverges(scene)
  await checkStates(scene, listed, await checkAudit(scene))
  await checkKeys(scene)
  await checkEndpoints(scene)
  await checkNames(scene)
  await deleteSome(scene)
}
