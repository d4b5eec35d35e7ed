/** A KV namespace of its own for a test file: Miniflare's, with no Worker around it. */
import { Miniflare } from 'miniflare'

/** Starts one, empty; `close` stops it. */
export async function startKv(): Promise<{ kv: KVNamespace; close: () => Promise<void> }> {
  const contents = 'export default { fetch: () => new Response() }'
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    port: 0,
    cf: false,
    workers: [
      {
        config: {
          name: 'kv',
          compatibilityDate: '2026-11-17',
          manifest: {
            mainModule: 'worker.js',
            modules: { 'worker.js': { type: 'esm', contents } },
          },
          env: { CATALOG: { type: 'kv', id: 'CATALOG' } },
        },
      },
    ],
  })
  const kv = (await miniflare.getKVNamespace('CATALOG')) as unknown as KVNamespace
  return { kv: buffered(kv), close: () => miniflare.dispose() }
}

/** Streams that may be cancelled: those of Miniflare's proxy throw later, where nobody can catch it. */
function buffered(kv: KVNamespace): KVNamespace {
  const getWithMetadata = async (key: string) => {
    const { value, ...rest } = await kv.getWithMetadata(key, 'arrayBuffer')
    return { ...rest, value: value && new Blob([value]).stream() }
  }
  return new Proxy(kv, {
    get: (_, name: keyof KVNamespace) => (name === 'getWithMetadata' ? getWithMetadata : kv[name]),
  })
}
