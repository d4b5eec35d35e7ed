/**
 * A Worker in a workerd of its own, run by Miniflare and reached over the Worker's own socket, so
 * that neither a dev server nor Miniflare's entry proxy stands between it and the load.
 */
import { Log, LogLevel, Miniflare, type MiniflareOptions } from 'miniflare'
import { ownRuntimes } from './cpu.ts'

const HOST = '127.0.0.1'
const COMPATIBILITY_DATE = '2026-11-17'

type Config = MiniflareOptions['workers'][number]['config']

export type Build = {
  name: string
  script: string
  env?: Config['env']
  exports?: Config['exports']
  /** Bindings that are bytes. */
  data?: Record<string, Uint8Array<ArrayBuffer>>
}

export type LaunchOptions = { persist?: string; inspect?: boolean }

export type Launched = {
  name: string
  url: URL
  pid: number
  /** Where its inspector listens; only where it was asked for. */
  inspector: URL | undefined
  close(): Promise<void>
}

/** Starts a Worker; not two at once, or their processes cannot be told apart. */
export async function launch(build: Build, options: LaunchOptions = {}): Promise<Launched> {
  const before = new Set(ownRuntimes())
  const miniflare = new Miniflare({
    host: HOST,
    port: 0,
    cf: false,
    logRequests: false,
    log: new Log(LogLevel.ERROR),
    ...(options.inspect && { inspectorPort: 0 }),
    ...(options.persist !== undefined && { resourcePersistencePath: options.persist }),
    workers: [
      {
        config: {
          name: build.name,
          compatibilityDate: COMPATIBILITY_DATE,
          manifest: {
            mainModule: 'worker.js',
            modulesRoot: import.meta.dirname,
            modules: { 'worker.js': { type: 'esm', contents: build.script } },
          },
          env: build.env ?? {},
          exports: build.exports ?? {},
        },
        ...(build.data && { legacy: { dataBlobBindings: build.data } }),
        dev: { unsafeDirectSockets: [{ host: HOST, port: 0 }] },
      },
    ],
  })
  const url = await miniflare.unsafeGetDirectURL()
  const [pid, ...others] = ownRuntimes().filter((candidate) => !before.has(candidate))
  if (pid === undefined || others.length > 0) throw new Error('cannot tell which workerd is whose')
  return {
    name: build.name,
    url,
    pid,
    inspector: options.inspect ? await miniflare.getInspectorURL() : undefined,
    close: () => miniflare.dispose(),
  }
}

/** Starts a Worker for the time of some work. */
export async function withWorker<T>(
  build: Build,
  options: LaunchOptions,
  work: (worker: Launched) => Promise<T>,
): Promise<T> {
  const worker = await launch(build, options)
  try {
    return await work(worker)
  } finally {
    await worker.close()
  }
}
