/** The programs of the command line, run as a person runs them. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { OPERATOR_TOKEN } from './rollcall.ts'

const CLI = join(import.meta.dirname, '../../src/cli')

export type Ended = { code: number | null; out: string; err: string }

export type ProgramOptions = {
  /** Where relative paths begin. */
  folder?: string
  input?: string
  env?: NodeJS.ProcessEnv
}

/** Runs a program to its end, with the operator's token in the environment. */
export async function runProgram(
  name: 'push' | 'pull' | 'call' | 'deploy',
  args: readonly string[],
  { folder, input = '', env = {} }: ProgramOptions = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [join(CLI, `${name}.ts`), ...args], {
    env: { ...process.env, OPERATOR_TOKEN, INIT_CWD: folder, ...env },
  })
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, out, err }
}
