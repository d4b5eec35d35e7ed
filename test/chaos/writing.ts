/** Sends random writes side by side until the moment of the kill. */
import { setTimeout as pause } from 'node:timers/promises'
import * as attempts from './attempts.ts'
import type { Attempt } from './attempts.ts'
import { createClient, type Answer, type Client } from './client.ts'
import type { Random } from './random.ts'
import type { Victim } from './victim.ts'
import { headerOf, type World } from './world.ts'

const WRITERS = 6
const MAX_SERVERS = 12
const MOST_ANSWERS = 40
const QUIET_MS = 1500 // longer than the gap between two puts of a key

/**
 * Writes until a random number of answers, and then kills after a random part of the time that a
 * write takes; or lets all come home first, and kills while they are being published.
 */
export async function writeUntilKilled(
  world: World,
  victim: Victim,
  random: Random,
): Promise<void> {
  const client = createClient(victim.url)
  const enough = 1 + random.below(MOST_ANSWERS)
  const isQuiet = random.chance(0.25)
  const since = performance.now()
  let answered = 0
  const over = new AbortController()
  let isKilled = false
  const reached = Promise.withResolvers<void>()
  const write = async () => {
    while (!over.signal.aborted) {
      await send(world, client, randomAttempt(world, random), () => isKilled)
      if (++answered === enough) reached.resolve()
    }
  }
  const writers = Promise.all(Array.from({ length: WRITERS }, write))
  await Promise.race([reached.promise, writers])
  const oneWriteMs = ((performance.now() - since) * WRITERS) / Math.max(enough, WRITERS)
  if (isQuiet) {
    over.abort()
    await writers
  }
  await pause(random.next() * (isQuiet ? QUIET_MS : oneWriteMs))
  isKilled = true
  await victim.kill()
  over.abort()
  await writers
}

/** Sends one write and notes what came of it. */
export async function send(
  world: World,
  client: Client,
  attempt: Attempt,
  isKilled: () => boolean = () => false,
): Promise<Answer | undefined> {
  const started = ++world.ticks
  const { organization, method, path, body } = attempt
  const wasKilled = isKilled()
  const answer = await client
    .admin(headerOf(organization), method, path, body)
    .catch((error: unknown) => {
      if (!isKilled()) world.violations.push(`${attempt.what}: no answer: ${String(error)}`)
      return undefined
    })
  if (answer === undefined && wasKilled) return undefined // nobody was there to ask
  const ended = ++world.ticks
  const isFault = answer !== undefined && answer.status >= 500
  if (isFault && !isKilled()) {
    world.violations.push(`${attempt.what}: ${answer.status} ${answer.text}`)
  }
  if (answer !== undefined && answer.status >= 400 && !isFault) {
    world.counts.refused++
    return answer
  }
  world.counts[answer === undefined || isFault ? 'unanswered' : 'acknowledged']++
  attempt.settle({ started, ended, answer: isFault ? undefined : answer })
  return answer
}

function randomAttempt(world: World, random: Random): Attempt {
  const organizations = world.organizations.filter(({ state }) => state === 'live')
  const servers = world.servers.filter(
    ({ organization, believed }) => organization.state === 'live' && believed !== undefined,
  )
  const make = () => {
    const id = random.chance(0.8) ? random.pick(attempts.SERVER_IDS) : undefined
    const organization = random.pick(organizations)
    return id !== undefined && random.chance(0.6)
      ? attempts.putServer(world, random, organization, id)
      : attempts.createServer(world, random, organization, id)
  }
  if (servers.length < 3) return make()
  const server = random.pick(servers)
  if (servers.length > MAX_SERVERS) return attempts.deleteServer(world, server)
  const keys = world.keys.filter(
    (key) => key.state === 'live' && key.server.organization.state === 'live',
  )
  const passing = organizations.filter(({ name }) => attempts.PASSING.includes(name))
  const put = () => attempts.putServer(world, random, server.organization, server.id)
  const choices: [weight: number, choose: () => Attempt | undefined][] = [
    [8, make],
    [10, put],
    [22, () => attempts.patchServer(world, random, server)],
    [30, () => attempts.changeTools(world, random, server)],
    [8, () => attempts.deleteServer(world, server)],
    [8, () => attempts.rollback(world, random, server)],
    [6, () => attempts.createKey(world, server)],
    [4, () => (keys.length > 0 ? attempts.revokeKey(world, random.pick(keys)) : undefined)],
    [5, () => attempts.createOrganization(world, random.pick(attempts.PASSING))],
    [3, () => passing[0] && attempts.deleteOrganization(world, random.pick(passing))],
  ]
  let at = random.below(choices.reduce((sum, [weight]) => sum + weight, 0))
  const choice = choices.find(([weight]) => (at -= weight) < 0)
  return choice?.[1]() ?? put()
}
