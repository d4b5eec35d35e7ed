/** The Worker as a deploy of the top level of wrangler.toml would have it, made once for many starts. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unstable_readConfig } from 'wrangler'
import { OPERATOR_TOKEN, SEAL_KEYS } from '../support/rollcall.ts'
import type { WorkerConfig } from './victim-process.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** Nothing is sent and nothing is looked up. */
export const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

/** What is read of wrangler.toml. */
type Config = {
  name: string
  compatibility_date: string
  durable_objects: { bindings: { name: string; class_name: string }[] }
  kv_namespaces: { binding: string }[]
  ratelimits: { name: string; namespace_id: string; simple: { limit: number; period: 10 | 60 } }[]
}

export type Bundle = { script: string; config: WorkerConfig }

/** Bundles it into a folder. */
export async function bundleWorker(folder: string): Promise<Bundle> {
  const wrangler = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
  const args = ['deploy', '--dry-run', '--env=', '--outdir', folder]
  await promisify(execFile)(process.execPath, [wrangler, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...QUIET },
  })
  return { script: join(folder, 'worker.js'), config: readConfig() }
}

function readConfig(): WorkerConfig {
  const path = join(ROOT, 'wrangler.toml')
  const config: Config = unstable_readConfig({ config: path }, { hideWarnings: true })
  const { name, durable_objects, kv_namespaces, ratelimits } = config
  const texts = { OPERATOR_TOKEN, SEAL_KEYS, DEVELOPMENT: '1' }
  const objects = durable_objects.bindings.map((object) => object.class_name)
  return {
    name,
    compatibilityDate: config.compatibility_date,
    exports: Object.fromEntries(
      objects.map((object) => [object, { type: 'durable-object', storage: 'sqlite' }]),
    ),
    env: Object.fromEntries([
      ...Object.entries(texts).map(([key, value]) => [key, { type: 'text', value }]),
      ...kv_namespaces.map(({ binding }) => [binding, { type: 'kv', id: binding }]),
      ...ratelimits.map((limit) => [
        limit.name,
        { type: 'rate-limit', namespace: limit.namespace_id, simple: limit.simple },
      ]),
      ...durable_objects.bindings.map((object) => [
        object.name,
        { type: 'durable-object', worker: name, exportName: object.class_name },
      ]),
    ]),
  }
}
