/**
 * `npm run regions`: the deployment of each region side by side on this machine, each with a port,
 * state and secrets of its own and one sample server, which says where it is. Stopping it stops all,
 * and so does the end of one.
 */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createAdminClient } from './admin-client.ts'
import { describeError, Misuse, workingDirectory } from './command.ts'
import { startDevWorker, type DevWorker } from './dev-worker.ts'
import { REGIONS, type RegionName } from './region-names.ts'
import { exists } from './sample-organization.ts'
import { readSecrets } from './secrets.ts'

const ROOT = join(import.meta.dirname, '../..')
const DEFAULT_PORT = 8801
const MAX_PORT = 65_535 - REGIONS.length
const USAGE = `Usage: npm run regions -- [--port PORT] [--persist-to DIR]

  --port PORT        of the first region, the others follow; default: ${DEFAULT_PORT}
  --persist-to DIR   where each region keeps its state; default: .wrangler/regions`
const CALL =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"where","arguments":{}}}'

type Deployment = {
  region: RegionName
  url: string
  token: string
  worker: DevWorker
  /** What it printed while it started: shown where it did not. */
  started: string[]
}

const deployments: Deployment[] = []
let areUp = false
let stopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
process.on('exit', () => {
  for (const { worker } of deployments) worker.kill() // whatever is left of the groups
})

try {
  const { port, folder } = readArguments()
  for (const [index, region] of REGIONS.entries()) {
    deployments.push(await start(region, port + index, join(folder, region)))
  }
  const ended = Promise.race(deployments.map(untilEnded))
  await Promise.race([ended, Promise.all(deployments.map(applySample))])
  if (!stopping) console.log(describe())
  areUp = true
  await ended
} catch (error) {
  if (!stopping) {
    console.error(error instanceof Misuse ? `${error.message}\n\n${USAGE}` : describeError(error))
  }
  await stop(error instanceof Misuse ? 2 : 1)
}

function readArguments(): { port: number; folder: string } {
  const { port: text, 'persist-to': given } = parse()
  const port = Number(text ?? DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 1 || port > MAX_PORT) {
    throw new Misuse(`--port must be 1 to ${MAX_PORT}`)
  }
  const folder =
    given === undefined ? join(ROOT, '.wrangler/regions') : resolve(workingDirectory(), given)
  return { port, folder }
}

function parse() {
  try {
    const options = { port: { type: 'string' }, 'persist-to': { type: 'string' } } as const
    return parseArgs({ options }).values
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error)) // an unknown option
  }
}

async function start(region: RegionName, port: number, state: string): Promise<Deployment> {
  await mkdir(state, { recursive: true })
  const secrets = await readSecrets(join(state, '.dev.vars'), {}) // no region has those of another
  const url = `http://127.0.0.1:${port}`
  const started: string[] = []
  const worker = startDevWorker({
    url,
    args: [
      '--env',
      region,
      '--persist-to',
      state,
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--inspector-port',
      '0',
      '--var',
      'JURISDICTION:', // there is none on this machine: the runtime throws for every one
    ],
    secrets,
    print: (line) => (areUp ? console.log(`[${region}] ${line}`) : started.push(line)),
  })
  return { region, url, token: secrets['OPERATOR_TOKEN'] ?? '', worker, started }
}

/** Throws when a deployment ends that nobody stopped. */
async function untilEnded({ region, worker, started }: Deployment): Promise<void> {
  const code = await worker.exited
  if (stopping) return
  if (!areUp) console.error(started.join('\n'))
  throw new Error(`${region} has ended with ${code}, which stops the others`)
}

/** The sample server of a region: its id and its text name the region. */
async function applySample({ region, url, token, worker }: Deployment): Promise<void> {
  await worker.untilReady()
  const client = createAdminClient(url, token)
  if (await exists(client, `/servers/${idOf(region)}`)) return
  await client.put(
    `/servers/${idOf(region)}`,
    JSON.stringify({
      name: `Where is ${region}`,
      slug: slugOf(region),
      tools: [
        {
          name: 'where',
          description: 'Says which region answers',
          inputSchema: { type: 'object' },
          handler: {
            kind: 'static',
            result: { content: [{ type: 'text', text: `This is region ${region}` }] },
          },
        },
      ],
    }),
  )
}

function idOf(region: RegionName): string {
  return Buffer.from(region).toString('hex').padEnd(16, '0')
}

function slugOf(region: RegionName): string {
  return `where-${region}`
}

function describe(): string {
  const endpointOf = ({ region, url }: Deployment) => `${url}/mcp/${slugOf(region)}/${idOf(region)}`
  const widest = Math.max(...deployments.map((one) => endpointOf(one).length))
  const row = (...[region = '', endpoint = '', token = '']: string[]) =>
    `  ${region.padEnd(8)} ${endpoint.padEnd(widest)}  ${token}`
  return [
    '',
    'Five regions are up.',
    '',
    row('Region', 'Sample server', 'Operator token'),
    ...deployments.map((one) => row(one.region, endpointOf(one), one.token)),
    '',
    'Ask each where it is; what it promises is at /residency:',
    '',
    ...deployments.map(
      (one) => `  curl -s ${endpointOf(one)} -H 'Content-Type: application/json' -d '${CALL}'`,
    ),
    '',
    'Ctrl-C stops all; what you change is kept.',
    '',
  ].join('\n')
}

async function stop(code = 0): Promise<void> {
  if (stopping) return
  stopping = true
  await Promise.all(deployments.map(({ worker }) => worker.stop()))
  process.exit(code)
}
