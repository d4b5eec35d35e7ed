/** What stands in the KV of a Rollcall, as whoever reads it where it is cached would see it. */
import type { Rollcall } from './rollcall.ts'

export type Stored = { name: string; bytes: Uint8Array<ArrayBuffer>; metadata: unknown }

export async function namespaceOf({ harness }: Rollcall): Promise<KVNamespace> {
  return (await harness.getWorker<{ CATALOG: KVNamespace }>().getEnv()).CATALOG
}

/** Everything in it. */
export async function readContents(rollcall: Rollcall): Promise<Stored[]> {
  const namespace = await namespaceOf(rollcall)
  const { keys } = await namespace.list() // a thousand, which is more than a test puts
  return Promise.all(
    keys.map(async ({ name, metadata }) => {
      const bytes = (await namespace.get(name, 'arrayBuffer')) ?? new ArrayBuffer()
      return { name, bytes: new Uint8Array(bytes), metadata }
    }),
  )
}

/** The id of the key that an envelope says it was sealed with. */
export function sealedBy({ bytes }: Stored): string {
  const [, length = 0] = bytes
  return Buffer.from(bytes.subarray(2, 2 + length)).toString()
}
