/**
 * One Worker under `wrangler dev` on this machine, as `npm start` and `npm run regions` run it: in a
 * process group of its own, with its secrets in its environment, asked until it answers.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

const ROOT = join(import.meta.dirname, '../..')
const READY_TIMEOUT_MS = 60_000
const POLL_MS = 100
const STOP_TIMEOUT_MS = 5000

export type DevWorkerOptions = {
  url: string
  /** What it is started with, beside what every one is. */
  args: readonly string[]
  secrets: Readonly<Record<string, string>>
  /** Who sees what it prints, line by line; the terminal itself where this is absent. */
  print?: (line: string) => void
}

export type DevWorker = {
  /** Its exit code, once it has ended. */
  exited: Promise<number>
  /** Waits until it answers; throws where it ends before, or does not. */
  untilReady(): Promise<void>
  /** Asks it to end, and waits for that a while. */
  stop(): Promise<void>
  /** Ends what is left of it at once. */
  kill(): void
}

/** Starts one. */
export function startDevWorker({ url, args, secrets, print }: DevWorkerOptions): DevWorker {
  const output = print === undefined ? 'inherit' : 'pipe'
  const wrangler = spawn(
    join(ROOT, 'node_modules/.bin/wrangler'),
    [
      'dev',
      // Named, so that wrangler takes the secrets from its environment and `ps` does not show them.
      '--env-file',
      '/dev/null',
      '--var',
      'DEVELOPMENT:1',
      '--var',
      `PUBLIC_URL:${url}`,
      '--show-interactive-dev-session',
      'false',
      ...args,
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', output, output],
      detached: true, // a group of its own: one signal reaches wrangler and the runtime it starts
      env: {
        ...process.env,
        ...secrets,
        WRANGLER_SEND_METRICS: 'false',
        WRANGLER_HIDE_BANNER: 'true',
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      },
    },
  )
  if (print !== undefined) {
    for (const stream of [wrangler.stdout, wrangler.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', print)
    }
  }
  const exited = new Promise<number>((resolve) => {
    wrangler.on('exit', (code) => resolve(code ?? 0))
    wrangler.on('error', (error) => {
      console.error(`wrangler could not be started: ${error.message}`)
      resolve(1)
    })
  })
  const signal = (name: NodeJS.Signals) => {
    try {
      if (wrangler.pid !== undefined) process.kill(-wrangler.pid, name)
    } catch {
      // the group is gone already
    }
  }
  return {
    exited,
    async untilReady() {
      const deadline = Date.now() + READY_TIMEOUT_MS
      while (wrangler.exitCode === null && Date.now() < deadline) {
        if (await answers(url, secrets['OPERATOR_TOKEN'])) return
        await wait(POLL_MS)
      }
      throw new Error(
        wrangler.exitCode === null
          ? `no answer at ${url}`
          : 'wrangler ended before the Worker answered',
      )
    },
    async stop() {
      signal('SIGTERM')
      await Promise.race([exited, wait(STOP_TIMEOUT_MS)])
    },
    kill: () => signal('SIGKILL'),
  }
}

/** Whether our Worker answers, and not something else that had the port already. */
async function answers(url: string, token: string | undefined): Promise<boolean> {
  try {
    const response = await fetch(`${url}/api/v1/organizations`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (response.status === 500) throw new Error(await response.text())
    return response.ok
  } catch (error) {
    if (error instanceof TypeError) return false // nobody listens yet
    throw error
  }
}
