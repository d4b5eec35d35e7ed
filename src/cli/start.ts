/**
 * `npm start`: runs the Worker under `wrangler dev`, applies the samples that are absent, and says
 * what is there, with keys that are good until the next start. Arguments go through to wrangler.
 * Stopping it stops all it started.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  AdminError,
  createAdminClient,
  formatAdminError,
  type AdminClient,
} from './admin-client.ts'
import { startDevWorker } from './dev-worker.ts'
import {
  applySampleOrganization,
  exists,
  SAMPLE_ORGANIZATION,
  type SampleKeys,
} from './sample-organization.ts'
import { readSecrets } from './secrets.ts'

const ROOT = join(import.meta.dirname, '../..')
const SAMPLES = join(ROOT, 'src/samples')
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

const worker = startDevWorker({
  url,
  args: [
    ...unlessGiven('ip', values.ip),
    ...unlessGiven('port', values.port),
    ...unlessGiven('inspector-port', 0),
    '--var',
    'ALLOW_PRIVATE_UPSTREAMS:1', // the sample's remote server is this very one
    ...args,
  ],
  secrets,
})

/** An argument for wrangler that the user has not set. */
function unlessGiven(name: string, value: unknown): string[] {
  const isGiven = args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
  return isGiven ? [] : [`--${name}`, String(value)]
}

let stopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
process.on('exit', () => worker.kill()) // whatever is left of the group

try {
  await worker.untilReady()
  const token = secrets['OPERATOR_TOKEN'] ?? ''
  const client = createAdminClient(url, token)
  const samples = await applySamples(client)
  console.log(describe(samples, token, await applyOrganization(client, samples, token)))
} catch (error) {
  if (!stopping) console.error(messageOf(error))
  await stop(1)
}
const ended = await worker.exited
process.exit(stopping ? 0 : ended)

function messageOf(error: unknown): unknown {
  if (error instanceof AdminError) return formatAdminError(error)
  return error instanceof Error ? error.message : error
}

async function stop(code = 0): Promise<void> {
  if (stopping) return
  stopping = true
  await worker.stop()
  process.exit(code)
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
