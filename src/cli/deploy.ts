/**
 * `npm run deploy -- REGION`: looks first whether everything is there that the deployment of a region
 * in wrangler.toml needs, says what is missing with the commands that make it, and deploys where
 * nothing is. With `--dry-run` it asks nothing that needs an account.
 */
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { unstable_readConfig as readConfig } from 'wrangler'
import { describeError, Failure, Misuse, workingDirectory } from './command.ts'
import {
  formatCommand,
  problemsOfConfig,
  problemsOfNamespace,
  problemsOfSecrets,
  type Problem,
  type Region,
  type RegionConfig,
} from './deploy-problems.ts'
import { REGIONS } from './region-names.ts'

const ROOT = join(import.meta.dirname, '../..')
const USAGE = `Usage: npm run deploy -- REGION [--dry-run] [--config FILE]

  REGION          one of ${REGIONS.join(', ')}
  --dry-run       bundle and check what needs no account, and print what would be run
  --config FILE   instead of wrangler.toml`

type Ended = { code: number | null; out: string; err: string }

try {
  process.exitCode = await deploy()
} catch (error) {
  console.error(error instanceof Misuse ? `${error.message}\n\n${USAGE}` : describeError(error))
  process.exitCode = error instanceof Misuse ? 2 : 1
}

async function deploy(): Promise<number> {
  const { isDryRun, config, ...region } = readArguments()
  const { options } = region
  const listNamespaces = ['kv', 'namespace', 'list', ...options]
  const listSecrets = ['secret', 'list', ...options]

  const bundled = await wrangler(['deploy', '--dry-run', ...options])
  if (bundled.code !== 0 || /\bWARNING\b/.test(bundled.out + bundled.err)) {
    throw new Failure(`wrangler would not deploy this:\n${bundled.out}${bundled.err}`)
  }
  if (isDryRun) {
    const problems = problemsOfConfig(region, config)
    const commands = [listNamespaces, listSecrets, ['deploy', ...options]].map(formatCommand)
    console.log(bundled.out)
    if (problems.length > 0) console.log(describe('Missing, before it can be deployed:', problems))
    console.log(['Would be run:', ...commands].join('\n  '))
    return 0
  }

  const problems = [
    ...problemsOfConfig(region, config),
    ...(await look(listNamespaces, (listed) =>
      problemsOfNamespace(region, config, listed as { id: string }[]),
    )),
    ...(await look(listSecrets, (listed) =>
      problemsOfSecrets(region, config, listed as { name: string }[]),
    )),
  ]
  if (problems.length > 0) {
    console.error(describe(`${config.name} cannot be deployed:`, problems))
    return 1
  }
  return (await wrangler(['deploy', ...options], 'shown')).code ?? 1
}

/** The problems of what wrangler lists; that it lists nothing is one too. */
async function look(
  args: readonly string[],
  find: (listed: unknown[]) => Problem[],
): Promise<Problem[]> {
  const { code, out, err } = await wrangler(args)
  // A Worker that was never deployed has no secrets; there is no other sign of it than this text.
  if (code !== 0 && /Worker ".*" .*not found/.test(out + err)) return find([])
  const listed = code === 0 ? parseList(out) : undefined
  if (listed !== undefined) return find(listed)
  const what = `${formatCommand(args)} failed: ${(err || out).trim()}`
  return [{ what, mend: [formatCommand(['login'])] }]
}

function parseList(json: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined // no JSON, which is told
  }
}

function describe(title: string, problems: readonly Problem[]): string {
  const lines = problems.flatMap(({ what, mend }) => ['', `  ${what}:`, ...mend.map(indent)])
  return [title, ...lines, ''].join('\n')
}

function indent(line: string): string {
  return `    ${line}`
}

function readArguments(): Region & { config: RegionConfig; isDryRun: boolean } {
  const { values, positionals } = parse()
  const [region = '', ...others] = positionals
  if (!REGIONS.some((name) => name === region) || others.length > 0) {
    throw new Misuse(`REGION must be one of ${REGIONS.join(', ')}`)
  }
  const { config: file, 'dry-run': isDryRun = false } = values
  const path = file === undefined ? join(ROOT, 'wrangler.toml') : resolve(workingDirectory(), file)
  return {
    region,
    options: ['-e', region, ...(file === undefined ? [] : ['-c', path])],
    config: readConfig({ config: path, env: region }),
    isDryRun,
  }
}

function parse() {
  try {
    return parseArgs({
      options: { 'dry-run': { type: 'boolean' }, config: { type: 'string' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error)) // an unknown option
  }
}

/** Runs the wrangler of the PATH, which under npm is this project's. */
async function wrangler(args: readonly string[], output?: 'shown'): Promise<Ended> {
  const child = spawn('wrangler', args, {
    cwd: ROOT,
    stdio: output === 'shown' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, WRANGLER_HIDE_BANNER: 'true' },
  })
  const ended = new Promise<number | null>((done, fail) => {
    child.on('close', done)
    child.on('error', (error) => fail(new Failure(`wrangler cannot be run: ${error.message}`)))
  })
  const read = async (stream: typeof child.stdout) => (stream === null ? '' : text(stream))
  const [code, out, err] = await Promise.all([ended, read(child.stdout), read(child.stderr)])
  return { code, out, err }
}
