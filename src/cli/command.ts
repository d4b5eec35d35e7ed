/**
 * What the programs of the command line share: options, usage, where they talk to, how they end.
 * Exit codes are 0 for done, 1 for failed, 2 for misused.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, parseEnv, type ParseArgsConfig } from 'node:util'
import {
  AdminError,
  createAdminClient,
  formatAdminError,
  type AdminClient,
} from './admin-client.ts'

const ROOT = join(import.meta.dirname, '../..')
const DEFAULT_URL = 'http://127.0.0.1:8787'

/** A failure that is told in its own words and ends the program. */
export class Failure extends Error {}

/** A misuse of the program: told together with its usage. */
export class Misuse extends Error {}

export type Arguments = {
  names: readonly string[]
  text(option: string): string | undefined
  isSet(option: string): boolean
}

export type Command = {
  /** What `--help` prints, above the options that all have. */
  usage: string
  options: NonNullable<ParseArgsConfig['options']>
  /** Does it; the exit code. `connect` is asked once the arguments are known to be good. */
  run: (args: Arguments, connect: () => Promise<AdminClient>) => Promise<number>
}

const COMMON: Command['options'] = {
  url: { type: 'string' },
  organization: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
}

const COMMON_USAGE = `  --url URL             the deployment; default: ROLLCALL_URL, else ${DEFAULT_URL}
  --organization NAME   name or id; default: default
  --help                print this

The operator token is read from OPERATOR_TOKEN, or for a deployment on this machine from .dev.vars.`

/** Runs one program to its end and sets the exit code. */
export async function runCommand({ usage, options, run }: Command): Promise<void> {
  try {
    const args = readArguments({ ...COMMON, ...options })
    if (args.isSet('help')) {
      console.log(`${usage}\n${COMMON_USAGE}`)
      return
    }
    process.exitCode = await run(args, () => connect(args))
  } catch (error) {
    if (error instanceof Misuse) {
      console.error(`${error.message}\n\n${usage}\n${COMMON_USAGE}`)
      process.exitCode = 2
      return
    }
    process.exitCode = 1
    console.error(describeError(error))
  }
}

/** What went wrong, for people. Faults of our own come with their stack. */
export function describeError(error: unknown): string {
  if (error instanceof AdminError) return formatAdminError(error)
  if (error instanceof Failure) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Where relative paths begin: npm runs scripts in the package, not where it was called. */
export function workingDirectory(): string {
  return process.env['INIT_CWD'] ?? process.cwd()
}

function readArguments(options: Command['options']): Arguments {
  const { values, positionals } = parse(options)
  return {
    names: positionals,
    text(option) {
      const value = values[option]
      return typeof value === 'string' ? value : undefined
    },
    isSet: (option) => values[option] === true,
  }
}

function parse(options: Command['options']) {
  try {
    return parseArgs({ args: process.argv.slice(2), options, allowPositionals: true })
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error)) // an unknown option
  }
}

async function connect(args: Arguments): Promise<AdminClient> {
  const text = args.text('url') ?? process.env['ROLLCALL_URL'] ?? DEFAULT_URL
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.search) {
    throw new Misuse('--url must be a plain http or https URL')
  }
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  return createAdminClient(base, await readToken(url), args.text('organization'))
}

/** The operator's token, which never stands on a command line, where `ps` would show it. */
async function readToken({ hostname }: URL): Promise<string> {
  const given = process.env['OPERATOR_TOKEN']
  const token = given ?? (isLoopback(hostname) ? await readStoredToken() : undefined)
  if (token === undefined || token === '') {
    throw new Failure('There is no operator token: put it into the environment as OPERATOR_TOKEN')
  }
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Failure('OPERATOR_TOKEN is not a token')
  return token
}

async function readStoredToken(): Promise<string | undefined> {
  try {
    return parseEnv(await readFile(join(ROOT, '.dev.vars'), 'utf8'))['OPERATOR_TOKEN']
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)
}
