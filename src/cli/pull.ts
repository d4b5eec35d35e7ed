/** `npm run pull`: writes servers of a deployment as server files, which `npm run push` applies. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { AdminClient } from './admin-client.ts'
import { Failure, Misuse, runCommand, workingDirectory, type Arguments } from './command.ts'
import { exportServer, listServers, requireServer, type Server } from './find-server.ts'

const USAGE = `npm run pull -- [SERVER...] [options]

Writes each SERVER, an id or a slug, as DIR/{slug}.json; without any, all of the organization.
Only files that differ are written.

  --out DIR             default: servers
  --stdout              print the one SERVER instead`

const SLUG = /^[a-z0-9-]{1,64}$/ // it becomes the name of a file

await runCommand({
  usage: USAGE,
  options: { out: { type: 'string' }, stdout: { type: 'boolean' } },
  run,
})

async function run(args: Arguments, connect: () => Promise<AdminClient>): Promise<number> {
  const isPrinted = args.isSet('stdout')
  if (isPrinted && args.names.length !== 1) throw new Misuse('--stdout is for one server')
  const client = await connect()
  const all = await listServers(client)
  const chosen = args.names.map((name) => requireServer(all, name))
  const servers = chosen.length === 0 ? all : [...new Set(chosen)]
  if (servers.length === 0) console.log('There are no servers.')
  for (const server of servers) {
    const text = await textOf(client, server)
    if (isPrinted) process.stdout.write(text)
    else console.log(await write(args.text('out') ?? 'servers', server, text))
  }
  return 0
}

async function textOf(client: AdminClient, { id, slug }: Server): Promise<string> {
  const exported = await exportServer(client, id)
  if (exported === undefined) throw new Failure(`The server ${slug} is gone`)
  return `${JSON.stringify(exported.file, null, 2)}\n`
}

async function write(folder: string, { slug }: Server, text: string): Promise<string> {
  if (!SLUG.test(slug)) throw new Failure('The deployment has a slug that is none')
  const path = join(folder, `${slug}.json`)
  const target = resolve(workingDirectory(), path)
  const old = await readOld(target)
  if (old === text) return `${path}: unchanged`
  await mkdir(resolve(workingDirectory(), folder), { recursive: true })
  await writeFile(target, text)
  return `${path}: ${old === undefined ? 'new' : 'changed'}`
}

async function readOld(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
