/**
 * The process that is killed: the bundled Worker in workerd, with objects and KV in a folder. Its
 * parent is told the URL, and asks it for values of KV. Where the parent goes, all of this goes.
 */
import { readFileSync } from 'node:fs'
import { Log, LogLevel, Miniflare, type WorkerOptions } from 'miniflare'

/** A Worker's configuration but for its script. */
export type WorkerConfig = Omit<WorkerOptions['config'], 'manifest'>

export type VictimOptions = { script: string; folder: string; config: WorkerConfig }
export type Question = { id: number; keys: string[] }
export type Reply = { id: number; values: (Uint8Array | undefined)[] }

const { script, folder, config }: VictimOptions = JSON.parse(process.argv[2] ?? '{}')
const worker = { type: 'esm' as const, contents: readFileSync(script, 'utf8') }

const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: 0,
  cf: false,
  logRequests: false,
  log: new Log(LogLevel.ERROR),
  resourcePersistencePath: folder,
  workers: [
    {
      config: {
        ...config,
        manifest: { mainModule: 'worker.js', modules: { 'worker.js': worker } },
      },
      dev: { unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }] },
    },
  ],
})

process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
await miniflare.ready
const kv = await miniflare.getKVNamespace('CATALOG')

process.on('message', ({ id, keys }: Question) => {
  void read(keys).then((values) => process.send?.({ id, values } satisfies Reply))
})
process.send?.((await miniflare.unsafeGetDirectURL()).href)

async function read(keys: readonly string[]): Promise<(Uint8Array | undefined)[]> {
  const values = await Promise.all(keys.map((key) => kv.get(key, 'arrayBuffer')))
  return values.map((value) => (value === null ? undefined : new Uint8Array(value)))
}
