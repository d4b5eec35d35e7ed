/**
 * `npm start`: runs the Worker under `wrangler dev`, applies the samples that are absent, and says
 * what is there, with keys that are good until the next start. Arguments go through to wrangler. Stopping it stops all it started.
 */
import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  AdminError,
  createAdminClient,
  formatAdminError,
  type AdminClient,
} from './admin-client.ts'
import {
  applySampleOrganization,
  exists,
  SAMPLE_ORGANIZATION,
  type SampleKeys,
} from './sample-organization.ts'
import { readSecrets } from './secrets.ts'

const ROOT = join(import.meta.dirname, '../..')
const SAMPLES = join(ROOT, 'src/samples')
const READY_TIMEOUT_MS = 60_000
const POLL_MS = 100
const STOP_TIMEOUT_MS = 5000
const WEATHER = 'my-weather-tools'
const LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}'

type Sample = { id: string; name: string; slug: string; tools: unknown[] }

const args = process.argv.slice(2)
const { values } = parseArgs({
  args,
  options: {
    port: { type: 'string', default: '8787' },
    ip: { type: 'string', default: '127.0.0.1' },
  },
  strict: false,
})
const url = `http://${values.ip}:${values.port}`
const secrets = await readSecrets(join(ROOT, '.dev.vars'), process.env)

const wrangler = spawn(
  join(ROOT, 'node_modules/.bin/wrangler'),
  [
    'dev',
    // Named, so that wrangler takes the secrets from its environment and `ps` does not show them.
    '--env-file',
    '/dev/null',
    ...unlessGiven('ip', values.ip),
    ...unlessGiven('port', values.port),
    ...unlessGiven('inspector-port', 0),
    '--var',
    'DEVELOPMENT:1',
    '--var',
    `PUBLIC_URL:${url}`,
    '--var',
    'ALLOW_PRIVATE_UPSTREAMS:1', // the sample's remote server is this very one
    '--show-interactive-dev-session',
    'false',
    ...args,
  ],
  {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true, // a group of its own: one signal reaches wrangler and the runtime it starts
    env: {
      ...process.env,
      ...secrets,
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_HIDE_BANNER: 'true',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      X_LOCAL_OBSERVABILITY: 'false', // which would keep the URL of each request, secret ones too
    },
  },
)

/** An argument for wrangler that the user has not set. */
function unlessGiven(name: string, value: unknown): string[] {
  const isGiven = args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
  return isGiven ? [] : [`--${name}`, String(value)]
}

let stopping = false
const exited = new Promise<number>((resolve) => {
  wrangler.on('exit', (code) => resolve(code ?? 0))
  wrangler.on('error', (error) => {
    console.error(`wrangler could not be started: ${error.message}`)
    resolve(1)
  })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
process.on('exit', () => kill('SIGKILL')) // whatever is left of the group

try {
  await untilReady()
  const token = secrets['OPERATOR_TOKEN'] ?? ''
  const client = createAdminClient(url, token)
  const samples = await applySamples(client)
  console.log(describe(samples, token, await applyOrganization(client, samples, token)))
} catch (error) {
  if (!stopping) console.error(messageOf(error))
  await stop(1)
}
const ended = await exited
process.exit(stopping ? 0 : ended)

function messageOf(error: unknown): unknown {
  if (error instanceof AdminError) return formatAdminError(error)
  return error instanceof Error ? error.message : error
}

async function stop(code = 0): Promise<void> {
  if (stopping) return
  stopping = true
  kill('SIGTERM')
  await Promise.race([exited, wait(STOP_TIMEOUT_MS)])
  process.exit(code)
}

function kill(signal: NodeJS.Signals): void {
  try {
    if (wrangler.pid !== undefined) process.kill(-wrangler.pid, signal)
  } catch {
    // the group is gone already
  }
}

async function untilReady(): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  while (wrangler.exitCode === null && Date.now() < deadline) {
    if (await answers()) return
    await wait(POLL_MS)
  }
  throw new Error(
    wrangler.exitCode === null
      ? `no answer at ${url}`
      : 'wrangler ended before the Worker answered',
  )
}

/** Whether our Worker answers, and not something else that had the port already. */
async function answers(): Promise<boolean> {
  try {
    const response = await fetch(`${url}/api/v1/organizations`, {
      headers: { authorization: `Bearer ${secrets['OPERATOR_TOKEN']}` },
    })
    if (response.status === 500) throw new Error(await response.text())
    return response.ok
  } catch (error) {
    if (error instanceof TypeError) return false // nobody listens yet
    throw error
  }
}

async function applySamples(client: AdminClient): Promise<Sample[]> {
  const files = (await readdir(SAMPLES)).filter((name) => name.endsWith('.json')).toSorted()
  const samples: Sample[] = []
  for (const name of files) {
    const text = await readFile(join(SAMPLES, name), 'utf8')
    const sample = JSON.parse(text) as Sample
    if (!(await exists(client, `/servers/${sample.id}`)))
      await client.put(`/servers/${sample.id}`, text)
    samples.push(sample)
  }
  return samples
}

/** The sample organization; what was changed may stand in its way, which does not stop the rest. */
async function applyOrganization(
  client: AdminClient,
  samples: readonly Sample[],
  token: string,
): Promise<SampleKeys | undefined> {
  const weather = samples.find(({ slug }) => slug === WEATHER)
  if (weather === undefined) throw new Error(`the sample ${WEATHER} is gone`)
  try {
    const within = createAdminClient(url, token, SAMPLE_ORGANIZATION)
    return await applySampleOrganization(client, within, endpointOf(weather))
  } catch (error) {
    if (!(error instanceof AdminError) || error.status === 0) throw error
    console.error(`The sample organization is not whole: ${formatAdminError(error)}`)
    return undefined
  }
}

function endpointOf({ slug, id }: Sample): string {
  return `${url}/mcp/${slug}/${id}`
}

function describe(samples: readonly Sample[], token: string, keys: SampleKeys | undefined): string {
  const [first] = samples
  return [
    '',
    'Rollcall is up.',
    '',
    ...samples.map((sample) => `  ${sample.name.padEnd(20)} ${endpointOf(sample)}`),
    '',
    `  Admin API            ${url}/api/v1   (${url}/openapi.json)`,
    `  Operator token       ${token}`,
    '',
    'List the tools of a server:',
    '',
    `  curl -s ${first ? endpointOf(first) : url} -H 'Content-Type: application/json' \\`,
    `    -d '${LIST}'`,
    '',
    ...(keys === undefined ? [] : [...describeGateway(keys), ...describeConvai(keys)]),
    'See what the admin API has:',
    '',
    `  curl -s ${url}/api/v1/servers -H 'Authorization: Bearer ${token}'`,
    '',
    'Ctrl-C stops it; what you change is kept.',
    '',
  ].join('\n')
}

function describeGateway({ member, agent, server }: SampleKeys): string[] {
  return [
    `The gateway of ${SAMPLE_ORGANIZATION}, ${url}/mcp, by keys that are good until the next start:`,
    '',
    `  Ben, a member        ${member}`,
    `  Robin, an agent      ${agent}`,
    `  server Memory alone  ${server}`,
    '',
    `  curl -s ${url}/mcp -H 'Authorization: Bearer ${member}' \\`,
    `    -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\`,
    `    -d '${LIST}'`,
    '',
  ]
}

function describeConvai({ member, configuration }: SampleKeys): string[] {
  return [
    'What a remote server offers now, and whether a person approved it, as voice platforms ask:',
    '',
    `  curl -s ${url}/v1/convai/mcp-servers/${configuration}/tools -H 'xi-api-key: ${member}'`,
    '',
  ]
}
