/**
 * The writes that are sent at random, each with what it makes of what the test knows once it was
 * answered, or once it is clear that it never will be.
 */
import { serverFile, tool } from '../support/servers.ts'
import type { Answer } from './client.ts'
import type { Sent } from './explain.ts'
import * as model from './model.ts'
import type { Effect, Settings } from './model.ts'
import type { Random } from './random.ts'
import {
  noteDeleted,
  noteSent,
  recordOf,
  type KeyRecord,
  type OrganizationRecord,
  type ServerRecord,
  type World,
} from './world.ts'

/** When it was, and what came back; no answer stands for one that was lost, or a fault of 5xx. */
export type Outcome = { started: number; ended: number; answer: Answer | undefined }

export type Attempt = {
  what: string
  organization: OrganizationRecord
  method: string
  path: string
  body?: object
  /** Told of every outcome but a refusal. */
  settle(outcome: Outcome): void
}

/** Few, so that they are fought for and change hands. */
export const SLUGS = ['red', 'green', 'blue', 'white', 'black', 'amber', 'pink', 'teal']
export const SERVER_IDS = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(16))
/** Organizations that are made and deleted. */
export const PASSING = Array.from({ length: 5 }, (_, n) => `passing-${n}`)
export const TOOL_NAMES = Array.from({ length: 9 }, (_, n) => `tool-${n}`)
const MANY_TOOLS = 400 // long enough a write that a kill may find it half done

/** PUT of a whole file, its mark in the settings and in each tool. */
export function putServer(
  world: World,
  random: Random,
  organization: OrganizationRecord,
  id: string,
  members: Partial<Settings> = {},
): Attempt {
  const { settings, tools, body, mark } = randomFile(random, members)
  if (settings.vanity) world.suspects.add(settings.slug)
  const effect = model.put(settings, tools)
  const record = { organization, id }
  return onServer(world, record, `put ${mark}`, effect, { method: 'PUT', path: '', body })
}

/** POST of a new server, under an id that the file has or one that Rollcall makes. */
export function createServer(
  world: World,
  random: Random,
  organization: OrganizationRecord,
  id: string | undefined,
): Attempt {
  const { settings, tools, body, mark } = randomFile(random)
  const effect = model.create(settings, tools)
  const what = `create ${mark} ${settings.slug}${settings.vanity ? ' vanity' : ''}`
  return {
    what: `${what} ${id ?? ''}`,
    organization,
    method: 'POST',
    path: '/servers',
    body: { ...body, ...(id !== undefined && { id }) },
    settle(outcome) {
      if (settings.vanity) world.suspects.add(settings.slug)
      const sent = sentOf(what, effect, outcome)
      const made: string | undefined = id ?? outcome.answer?.json.id
      if (made !== undefined) noteSent(recordOf(world, organization, made), sent)
      else world.nameless.push({ organization, mark, sent })
    },
  }
}

export function patchServer(world: World, random: Random, record: ServerRecord): Attempt {
  const mark = random.hex(8)
  const members: Partial<Settings> = {
    ...random.pick<Partial<Settings>>([
      { slug: random.pick(SLUGS) },
      { slug: random.pick(SLUGS), vanity: true },
      { vanity: random.chance(0.6) },
      { status: random.pick(['active', 'active', 'paused', 'draft'] as const) },
      { auth: random.pick(['none', 'key'] as const) },
    ]),
    description: mark,
  }
  const slug = members.slug ?? record.slug
  const what = `patch ${JSON.stringify(members)}`
  const attempt = onServer(world, record, what, model.patch(members), {
    method: 'PATCH',
    path: '',
    body: members,
  })
  if (members.vanity !== false) world.suspects.add(slug)
  return attempt
}

export function deleteServer(world: World, record: ServerRecord): Attempt {
  const attempt = onServer(world, record, 'delete', model.remove, { method: 'DELETE', path: '' })
  return {
    ...attempt,
    settle(outcome) {
      attempt.settle(outcome)
      noteDeleted(world, record, sentOf('delete', model.remove, outcome))
      world.suspects.add(record.slug)
    },
  }
}

/** Back to one of the revisions that were found after the last restart. */
export function rollback(world: World, random: Random, record: ServerRecord): Attempt | undefined {
  const revisions = [...record.standing.past.keys()].slice(-12)
  if (revisions.length === 0) return undefined
  const revision = random.pick(revisions)
  return onServer(world, record, `rollback ${revision}`, model.rollback(revision), {
    method: 'POST',
    path: '/rollback',
    body: { revision },
  })
}

/** Adds, replaces, changes, renames, deletes or reorders tools. */
export function changeTools(world: World, random: Random, record: ServerRecord): Attempt {
  const name = random.pick(TOOL_NAMES)
  const mark = random.hex(8)
  const path = `/tools/${name}`
  const on = (effect: Effect, method: string, request: { path?: string; body?: object }): Attempt =>
    onServer(world, record, `${method} ${path} ${mark}`, effect, { path, ...request, method })
  const changes = [
    () =>
      on(model.createTool(name, mark), 'POST', {
        path: '/tools',
        body: tool(name, { description: mark }),
      }),
    () => on(model.putTool(name, mark), 'PUT', { body: tool(name, { description: mark }) }),
    () => {
      const members = { description: mark, status: random.pick(['active', 'paused'] as const) }
      return on(model.patchTool(name, members), 'PATCH', { body: members })
    },
    () => {
      const members = { description: mark, name: random.pick(TOOL_NAMES) }
      return on(model.patchTool(name, members), 'PATCH', { body: members })
    },
    () => on(model.removeTool(name), 'DELETE', {}),
    () => {
      const there = record.believed?.tools.map((one) => one.name) ?? []
      const names = random.shuffled(there).slice(0, 1 + random.below(5))
      return on(model.reorder(names), 'POST', { path: '/tools/reorder', body: { names } })
    },
  ]
  return random.pick(changes)()
}

export function createKey(world: World, record: ServerRecord): Attempt {
  const { organization } = record
  return {
    what: `create key of ${record.id}`,
    organization,
    method: 'POST',
    path: '/keys',
    body: { name: 'key', server: record.id },
    settle({ ended, answer }) {
      if (answer === undefined) return
      const { id, secret } = answer.json
      // The server may have gone meanwhile, and this answer have come late.
      const wasDeleted = record.sent.some(({ effect }) => effect === model.remove)
      const state = wasDeleted ? 'unsure' : 'live'
      world.keys.push({ server: record, id, secret, made: ended, state })
      world.audited.push({ organization, act: 'keys.create', target: id })
    },
  }
}

export function revokeKey(world: World, key: KeyRecord): Attempt {
  const { organization } = key.server
  return {
    what: `revoke ${key.id}`,
    organization,
    method: 'DELETE',
    path: `/keys/${key.id}`,
    settle({ answer }) {
      if (answer !== undefined) {
        key.state = 'revoked'
        world.audited.push({ organization, act: 'keys.revoke', target: key.id })
      } else if (key.state === 'live') key.state = 'unsure'
    },
  }
}

export function createOrganization(world: World, name: string): Attempt {
  const organization: OrganizationRecord = { name, id: '', state: 'unsure', auditSeen: 0 }
  return {
    what: `create organization ${name}`,
    organization: world.organizations[0]!,
    method: 'POST',
    path: '/organizations',
    body: { name },
    settle({ answer }) {
      if (answer !== undefined) {
        organization.state = 'live'
        organization.id = answer.json.id
      }
      world.organizations.push(organization)
    },
  }
}

export function deleteOrganization(world: World, organization: OrganizationRecord): Attempt {
  return {
    what: `delete organization ${organization.name}`,
    organization: world.organizations[0]!,
    method: 'DELETE',
    path: `/organizations/${organization.id}`,
    settle({ answer }) {
      organization.state = answer === undefined && organization.state !== 'gone' ? 'unsure' : 'gone'
      for (const { slug } of world.servers.filter((one) => one.organization === organization)) {
        world.suspects.add(slug)
      }
    },
  }
}

function onServer(
  world: World,
  { organization, id }: { organization: OrganizationRecord; id: string },
  what: string,
  effect: Effect,
  request: { method: string; path: string; body?: object },
): Attempt {
  return {
    ...request,
    what: `${what} of ${id}`,
    organization,
    path: `/servers/${id}${request.path}`,
    settle(outcome) {
      noteSent(recordOf(world, organization, id), sentOf(what, effect, outcome))
      if (outcome.answer === undefined) world.suspects.add(id)
    },
  }
}

function sentOf(what: string, effect: Effect, { started, ended, answer }: Outcome): Sent {
  const isAcknowledged = answer !== undefined
  return { what, effect, started, ended, isAcknowledged, revision: answer?.revision }
}

function randomFile(random: Random, members: Partial<Settings> = {}) {
  const mark = random.hex(8)
  const settings: Settings = {
    name: `Server ${mark}`,
    slug: random.pick(SLUGS),
    description: mark,
    status: 'active',
    auth: random.pick(['none', 'key'] as const),
    vanity: random.chance(0.5),
    ...members,
  }
  const names = random.chance(0.1)
    ? Array.from({ length: MANY_TOOLS }, (_, n) => `many-${n}`)
    : random.shuffled(TOOL_NAMES).slice(0, random.below(TOOL_NAMES.length))
  const tools = names.map((name) => ({
    name,
    description: mark,
    status: random.pick(['active', 'active', 'paused'] as const),
  }))
  const body = serverFile(
    settings.name,
    tools.map(({ name, ...rest }) => tool(name, rest)),
    settings,
  )
  return { settings, tools, body, mark }
}
