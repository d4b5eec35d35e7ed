/**
 * Reads one KV value as Rollcall does, to see what the read alone takes. Answers its length, or the
 * value itself with `whole`; without a key it reads nothing.
 */
import { env } from 'cloudflare:workers'

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url)
    const key = searchParams.get('key')
    if (key === null) return new Response('up')
    const { CATALOG } = env as { CATALOG: KVNamespace }
    const { value } = await CATALOG.getWithMetadata(key, { type: 'stream', cacheTtl: 60 })
    const bytes = await new Response(value).arrayBuffer()
    return new Response(searchParams.has('whole') ? bytes : String(bytes.byteLength))
  },
} satisfies ExportedHandler
