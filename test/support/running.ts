/** Programs that run until they are stopped, and what of them is left in the list of processes. */
import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export type Running = {
  /** What it had printed when it said how it is stopped. */
  isUp: Promise<string>
  /** Its exit code. */
  exited: Promise<number | null>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts a program as npm does. */
export function startProgram(
  name: 'start' | 'regions',
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Running {
  const child = spawn(process.execPath, [`src/cli/${name}.ts`, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
  })
  let text = ''
  const isUp = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('Ctrl-C stops')) resolve(text)
    })
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${text}`)))
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
  return {
    isUp,
    exited,
    stop(signal = 'SIGINT') {
      child.kill(signal)
      return exited
    },
  }
}

export type Process = { pid: number; line: string }

/** The processes that work on a state folder, with their command lines. */
export async function processesOf(state: string): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter(
    (name) => /^\d+$/.test(name) && name !== String(process.pid),
  )
  const processes = await Promise.all(
    pids.map(async (pid) => ({
      pid: Number(pid),
      line: (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' '),
    })),
  )
  return processes.filter(({ line }) => line.includes(state))
}

/** The first of so many ports in a row that nobody listens at. */
export async function freePorts(count = 1): Promise<number> {
  for (;;) {
    const first = await listen(0)
    const { port } = first.address() as AddressInfo
    const servers = [first]
    try {
      for (let next = port + 1; next < port + count; next++) servers.push(await listen(next))
      return port
    } catch {
      // one of them is taken: another row is tried
    } finally {
      await Promise.all(servers.map((one) => new Promise((done) => one.close(done))))
    }
  }
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
