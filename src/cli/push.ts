/**
 * `npm run push`: applies server files to a deployment, after it has said what that changes. Nothing
 * is applied unless every file could be read and compared, and each only to the revision that it was
 * compared with.
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
import { readDefaults } from './read-defaults.ts'
import { readFiles, type ServerFile } from './read-files.ts'

const USAGE = `npm run push -- FILE... [options]

Applies server files to a running deployment: each FILE has one server as JSON; a folder stands for
all its *.json. Prints what changes first: + added, - removed, ~ changed.
A file without an id is for the server of its slug, or without a slug of its name; else a new one.

  --dry-run             print what would change, and change nothing`

type Plan = {
  file: ServerFile
  /** The server it is for; undefined where one is to be made. */
  id: string | undefined
  before: Exported | undefined
  changes: Changes
}

await runCommand({ usage: USAGE, options: { 'dry-run': { type: 'boolean' } }, run })

async function run(args: Arguments, connect: () => Promise<AdminClient>): Promise<number> {
  if (args.names.length === 0) throw new Misuse('Which files?')
  const { files, problems } = await readFiles(args.names, workingDirectory())
  const failures = [...problems]
  if (files.length === 0 && failures.length === 0) throw new Failure('There are no *.json files')
  const client = await connect()
  const plans: Plan[] = []
  if (files.length > 0) {
    const defaults = readDefaults(await client.openApi())
    const servers = files.some(({ value }) => value['id'] === undefined)
      ? await listServers(client)
      : []
    for (const file of files) {
      try {
        plans.push(await plan(client, file, servers, defaults))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        failures.push(`${file.path}: ${error.message}`)
      }
    }
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
  defaults: Readonly<Record<string, unknown>>,
): Promise<Plan> {
  const { id } = file.value
  const target = typeof id === 'string' ? id : findTarget(file.value, servers)?.id
  const before = target === undefined ? undefined : await exportServer(client, target)
  return { file, id: target, before, changes: compare(before?.file, file.value, defaults) }
}

/** The server that a file without an id is for. */
function findTarget(
  { slug, name }: ServerFile['value'],
  servers: readonly Server[],
): Server | undefined {
  if (slug !== undefined) return servers.find((server) => server.slug === slug)
  const [found, ...others] = servers.filter((server) => server.name === String(name).trim())
  if (others.length === 0) return found
  throw new Failure(`several servers are called "${String(name)}"; put the id of one into the file`)
}

/** Files that are for one server: which of them it should be cannot be known. */
function findTwins(plans: readonly Plan[]): string[] {
  const first = new Map<string, string>()
  return plans.flatMap(({ id, file: { path, value } }) => {
    const key = id ?? `new ${String(value['slug'] ?? value['name'])}`
    const other = first.get(key)
    if (other === undefined) first.set(key, path)
    return other === undefined ? [] : [`${path}: is for the same server as ${other}`]
  })
}

function describePlan({ file: { path, value }, id, before, changes }: Plan): string {
  const called = oneLine(String(before?.file['slug'] ?? value['slug'] ?? value['name']))
  const named = id === undefined ? called : `${called} (${id})`
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

function send(client: AdminClient, { file, id, before }: Plan): Promise<AdminAnswer> {
  if (id === undefined) return client.post('/servers', file.text)
  return client.put(`/servers/${id}`, file.text, before?.revision ?? '0') // 0: there is none
}

function describeApplied({ file: { path }, id }: Plan, { body, revision }: AdminAnswer): string {
  const server = body as { id: string; endpoint: string }
  const applied = `${path}: applied, revision ${revision} at ${oneLine(server.endpoint)}`
  if (id !== undefined) return applied
  return `${applied}\n  Put "id": "${oneLine(server.id)}" into the file: it names the server for good.`
}

function describeRefusal(error: unknown, { before }: Plan): string {
  if (!(error instanceof AdminError) || error.status !== 412) return describeError(error)
  const was = before === undefined ? 'was not there' : `was at revision ${before.revision}`
  return `the server moved: it ${was} when it was compared. Push again to see what changes now.`
}
