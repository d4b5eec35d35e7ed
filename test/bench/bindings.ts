/** The bindings of wrangler.toml's top level, in Miniflare's words: a new one is not forgotten. */
import { join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import type { Build } from './launch.ts'

const CONFIG = join(import.meta.dirname, '../../wrangler.toml')

/** What is read of it; wrangler's own types for it are not exported. */
type Config = {
  name: string
  kv_namespaces: { binding: string }[]
  ratelimits: {
    name: string
    namespace_id: string
    simple: { limit: number; period: 10 | 60 }
  }[]
  durable_objects: { bindings: { name: string; class_name: string }[] }
}

export type Bindings = {
  name: string
  kv: NonNullable<Build['env']>
  limiters: NonNullable<Build['env']>
  objects: NonNullable<Build['env']>
  exports: NonNullable<Build['exports']>
}

export function readBindings(): Bindings {
  const config = unstable_readConfig({ config: CONFIG }) as Config
  const { name } = config
  return {
    name,
    kv: Object.fromEntries(
      config.kv_namespaces.map(({ binding }) => [binding, { type: 'kv', id: binding }]),
    ),
    limiters: Object.fromEntries(
      config.ratelimits.map(({ name: binding, namespace_id: namespace, simple }) => [
        binding,
        { type: 'rate-limit', namespace, simple: { limit: simple.limit, period: simple.period } },
      ]),
    ),
    objects: Object.fromEntries(
      config.durable_objects.bindings.map(({ name: binding, class_name: exportName }) => [
        binding,
        { type: 'durable-object', worker: name, exportName },
      ]),
    ),
    exports: Object.fromEntries(
      config.durable_objects.bindings.map(({ class_name: exportName }) => [
        exportName,
        { type: 'durable-object', storage: 'sqlite' },
      ]),
    ),
  }
}
