/**
 * `npm run push`: applies server files to a deployment, after it has said what that changes: a dry
 * run of every write answers the file that it would leave. Nothing is applied unless the deployment
 * would take every file, and each only to the revision that it was compared with.
 */
import { AdminError, type AdminAnswer, type AdminClient } from './admin-client.ts'
import {
  describeError,
  Failure,
  Misuse,
  runCommand,
  workingDirectory,
  type Arguments,
} from './command.ts'
import { compare, isUnchanged, type Changes } from './compare.ts'
import { describeChanges } from './describe-changes.ts'
import { exportServer, listServers, type Exported, type Server } from './find-server.ts'
import { escapeControls, oneLine } from './plain-text.ts'
import { readFiles, type ServerFile } from './read-files.ts'

const USAGE = `npm run push -- FILE... [options]

Applies server files to a running deployment: each FILE has one server as JSON; a folder stands for
all its *.json. Prints what changes first: + added, - removed, ~ changed.
A file without an id is for the server of its slug, or without a slug of its name; else a new one.

  --dry-run             print what would change, and change nothing`

const SERVER_ID = /^[0-9a-f]{16}$/

/** What refuses a file; any other status is about the deployment, or who asks. */
const REFUSALS = new Set([400, 409, 412, 413, 422])

type Target = {
  file: ServerFile
  /** The server it is for; undefined where one is to be made. */
  id: string | undefined
  before: Exported | undefined
}

type Plan = Target & { called: string; changes: Changes }

await runCommand({ usage: USAGE, options: { 'dry-run': { type: 'boolean' } }, run })

async function run(args: Arguments, connect: () => Promise<AdminClient>): Promise<number> {
  if (args.names.length === 0) throw new Misuse('Which files?')
  const { files, problems } = await readFiles(args.names, workingDirectory())
  const failures = [...problems]
  if (files.length === 0 && failures.length === 0) throw new Failure('There are no *.json files')
  const client = await connect()
  const plans: Plan[] = []
  const isListNeeded = files.some(({ value }) => value['id'] === undefined)
  const servers = isListNeeded ? await listServers(client) : []
  for (const file of files) {
    const planned = await plan(client, file, servers)
    if ('refusal' in planned) failures.push(`${file.path}: ${planned.refusal}`)
    else plans.push(planned)
  }
  failures.push(...findTwins(plans))
  for (const one of plans) console.log(describePlan(one))
  for (const failure of failures) console.error(escapeControls(failure))
  if (failures.length > 0) throw new Failure('Nothing was applied.')
  if (!args.isSet('dry-run')) return apply(client, plans)
  console.log('Nothing was applied: this was a dry run.')
  return 0
}

async function plan(
  client: AdminClient,
  file: ServerFile,
  servers: readonly Server[],
): Promise<Plan | { refusal: string }> {
  const found = findTargets(file.value, servers)
  if (found.length > 1) {
    const name = oneLine(String(file.value['name']))
    return { refusal: `several servers are called "${name}"; put the id of one into the file` }
  }
  const [id] = found
  const before = id === undefined ? undefined : await exportServer(client, id)
  const target = { file, id, before }
  try {
    const after = (await send(client, target, '?dryRun=true')).body as Exported['file']
    const called = String((before?.file ?? after)['slug'])
    return { ...target, called, changes: compare(before?.file, after) }
  } catch (error) {
    if (!(error instanceof AdminError) || !REFUSALS.has(error.status)) throw error
    return { refusal: describeRefusal(error, target) }
  }
}

/** The ids of the servers that a file may be for; none where it makes one, or its id is none. */
function findTargets(
  { id, slug, name }: ServerFile['value'],
  servers: readonly Server[],
): readonly string[] {
  if (id !== undefined) return typeof id === 'string' && SERVER_ID.test(id) ? [id] : []
  const isMeant = (server: Server) =>
    slug === undefined ? server.name === String(name).trim() : server.slug === slug
  return servers.filter(isMeant).map((server) => server.id)
}

/** Files of which one at most can be applied: for one server, or with one slug. */
function findTwins(plans: readonly Plan[]): string[] {
  const first = new Map<string, string>()
  return plans.flatMap(({ id, file: { path, value } }) => {
    const { slug, name } = value
    const wanted = new Map([[id ?? `new ${String(slug ?? name)}`, 'is for the same server as']])
    if (typeof slug === 'string') wanted.set(`slug ${slug}`, 'has the same slug as')
    const problems = [...wanted].flatMap(([what, why]) => {
      const other = first.get(what)
      if (other === undefined) first.set(what, path)
      return other === undefined ? [] : [`${path}: ${why} ${other}`]
    })
    return problems.slice(0, 1)
  })
}

function describePlan({ file: { path }, id, before, called, changes }: Plan): string {
  const named = id === undefined ? oneLine(called) : `${oneLine(called)} (${id})`
  if (before === undefined)
    return [`${path}: ${named} is new`, ...describeChanges(changes)].join('\n')
  if (isUnchanged(changes)) return `${path}: ${named} is unchanged`
  return [`${path}: ${named} changes`, ...describeChanges(changes)].join('\n')
}

async function apply(client: AdminClient, plans: readonly Plan[]): Promise<number> {
  const due = plans.filter(({ before, changes }) => before === undefined || !isUnchanged(changes))
  for (const [index, one] of due.entries()) {
    try {
      console.log(describeApplied(one, await send(client, one)))
    } catch (error) {
      console.error(`${one.file.path}: ${describeRefusal(error, one)}`)
      const left = due.slice(index).map(({ file }) => file.path)
      throw new Failure(`Applied ${index} of ${due.length}. Not applied: ${left.join(', ')}`)
    }
  }
  return 0
}

function send(
  client: AdminClient,
  { file, id, before }: Target,
  query: '' | '?dryRun=true' = '',
): Promise<AdminAnswer> {
  if (id === undefined) return client.post(`/servers${query}`, file.text)
  return client.put(`/servers/${id}${query}`, file.text, before?.revision ?? '0') // 0: there is none
}

function describeApplied({ file: { path }, id }: Plan, { body, revision }: AdminAnswer): string {
  const server = body as { id: string; endpoint: string }
  const applied = `${path}: applied, revision ${revision} at ${oneLine(server.endpoint)}`
  if (id !== undefined) return applied
  return `${applied}\n  Put "id": "${oneLine(server.id)}" into the file: it names the server for good.`
}

function describeRefusal(error: unknown, { before }: Target): string {
  if (!(error instanceof AdminError) || error.status !== 412) return describeError(error)
  const was = before === undefined ? 'was not there' : `was at revision ${before.revision}`
  return `the server moved: it ${was} when it was compared. Push again to see what changes now.`
}
