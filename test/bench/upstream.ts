/** What calls go to: a process of its own, so that its work is not counted, which answers at once. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const PROGRAM = join(import.meta.dirname, 'upstream-process.ts')

export type Upstream = {
  url: string
  /** How many requests have come so far. */
  count(): Promise<number>
}

let upstream: Promise<Upstream> | undefined

/** The upstream, one for all scenarios, which ends with the bench. */
export function startUpstream(): Promise<Upstream> {
  upstream ??= start()
  return upstream
}

async function start(): Promise<Upstream> {
  const child = fork(PROGRAM)
  const hear = async (): Promise<number> => Number((await once(child, 'message'))[0])
  const port = await hear()
  child.unref()
  child.channel?.unref()
  return {
    url: `http://127.0.0.1:${port}`,
    count() {
      const count = hear()
      child.send('count')
      return count
    },
  }
}
