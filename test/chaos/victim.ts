/** A Rollcall in a process group of its own: started on a folder, killed at any moment, started again. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, closeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { QUIET, ROOT, type Bundle } from './bundle.ts'
import type { Question, Reply, VictimOptions } from './victim-process.ts'

const REAPED_MS = 2000

export type Victim = {
  url: string
  /** Values of KV as they are at rest, past every cache. */
  readKv(keys: string[]): Promise<(Uint8Array<ArrayBuffer> | undefined)[]>
  /** SIGKILL to the whole group, workerd with it; done when none of it is left. */
  kill(): Promise<void>
}

/** Starts one; what it prints goes to `log` in the folder. */
export async function startVictim(bundle: Bundle, folder: string): Promise<Victim> {
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary, { recursive: true })
  const options: VictimOptions = { ...bundle, folder: join(folder, 'state') }
  const log = openSync(join(folder, 'log'), 'a')
  const child = fork(join(import.meta.dirname, 'victim-process.ts'), [JSON.stringify(options)], {
    cwd: ROOT,
    detached: true,
    execArgv: [],
    serialization: 'advanced',
    env: { ...process.env, ...QUIET, TMPDIR: temporary },
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const kill = () => killGroup(child)
  const url = await Promise.race([
    once(child, 'message').then(([message]) => String(message)),
    once(child, 'exit').then(async () => {
      await kill()
      throw new Error('Rollcall did not start, or not for long')
    }),
  ])
  return { url, readKv: listen(child), kill }
}

function listen(child: ChildProcess) {
  const waiting = new Map<number, (values: Reply['values']) => void>()
  let last = 0
  child.on('message', ({ id, values }: Reply) => {
    waiting.get(id)?.(values)
    waiting.delete(id)
  })
  return async (keys: string[]) => {
    const id = ++last
    const values = await new Promise<Reply['values']>((resolve) => {
      waiting.set(id, resolve)
      child.send({ id, keys } satisfies Question)
    })
    return values.map((value) => value && new Uint8Array(value))
  }
}

async function killGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return
  // Where nobody reaps orphans their group stays, but the dead write no more.
  const deadline = Date.now() + REAPED_MS
  while (signalGroup(pid) && Date.now() < deadline) await pause(2)
}

/** False when nothing of the group is left. */
function signalGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
