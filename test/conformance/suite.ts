/**
 * The official conformance suite's server scenarios against one endpoint: which runs there are at
 * each revision, and what each of them found. A process for each run, as the suite wants it.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile, rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const CLI = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
export const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const

const AT_ONCE = 3

export type Run = { scenario: string; revision: string }

/** What a run found: failures and warnings, one line each; empty when it is clean. */
export type Outcome = Run & { problems: string[] }

type Check = { id: string; status: string; errorMessage?: string }

const run = promisify(execFile)

/** Every run of the suite: the scenarios that apply at each revision, extensions left out. */
export async function listRuns(): Promise<Run[]> {
  const lists = await Promise.all(
    REVISIONS.map(async (revision) => {
      const { stdout } = await cli(['list', '--server', '--spec-version', revision])
      return [...stdout.matchAll(/^ {2}- (\S+) \[(?!extension)/gm)].map(([, scenario]) => ({
        scenario: scenario ?? '',
        revision,
      }))
    }),
  )
  return lists.flat()
}

/** Runs the whole suite against a server. */
export async function runAll(url: string): Promise<Outcome[]> {
  const runs = await listRuns()
  const outcomes: Outcome[] = []
  const work = async () => {
    for (let next = runs.pop(); next !== undefined; next = runs.pop()) {
      outcomes.push(await runScenario(url, next))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return outcomes
}

/** What a run is called in a list of them. */
export function nameOf({ scenario, revision }: Run): string {
  return `${scenario} ${revision}`
}

/** Runs a scenario against a server. */
export async function runScenario(url: string, { scenario, revision }: Run): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
  try {
    const named = ['--scenario', scenario, '--spec-version', revision]
    const { code, output } = await ended(['server', '--url', url, ...named, '-o', folder])
    const checks = await readChecks(folder)
    const problems = checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? ''}`)
    if (checks.length === 0) problems.push(`no checks were made: ${output.slice(-400)}`)
    if (code !== 0 && problems.length === 0) problems.push(`exit ${code}: ${output.slice(-400)}`)
    return { scenario, revision, problems }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function readChecks(folder: string): Promise<Check[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) =>
    name.endsWith('checks.json'),
  )
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return texts.flatMap((text) => JSON.parse(text) as Check[])
}

async function ended(args: string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await cli(args)
    return { code: 0, output: stdout }
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: string }
    return { code, output: stdout }
  }
}

function cli(args: string[]) {
  return run(process.execPath, [CLI, ...args], { maxBuffer: 16 * 1024 * 1024 })
}
