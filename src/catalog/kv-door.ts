/**
 * The one door to KV. Plain, it stores as it is told. Strict, for a deployment whose data must not be
 * readable outside its region, where KV is cached: a key is an HMAC of the key, a value an envelope
 * bound to the key (sealing/envelope.ts), and of the stamp stands an HMAC, which tells no more than
 * whether it is the known one.
 *
 * What does not open (its key is gone, or it was moved, cut, forged or never sealed) is `shut`: the
 * caller asks the organization, as if there were nothing.
 */
import type { Shut } from '../memory/lookup.ts'
import { hmacOf } from '../sealing/digest.ts'
import { createEnvelopes } from '../sealing/envelope.ts'
import type { SealKeys } from '../sealing/seal-keys.ts'
import { CannotOpen } from '../sealing/seal.ts'

const CACHE_TTL_SECONDS = 60

type Bytes = Uint8Array<ArrayBuffer>

/** Whose a value is and in which revision: what differs where the value does. */
export type Stamp = { organization: string; revision: number }

/** What stands beside a value: its stamp, or the tag of it. */
type Metadata = Partial<Stamp & { tag: string }>

export type PutOptions = { stamp?: Stamp; expirationTtl?: number }

export type Kv = {
  /** The id of the key that seals what is put; empty where nothing is sealed. */
  readonly sealedBy: string
  /** The value of a key, undefined where there is none; its body is left unread where its stamp is `known`. */
  read(key: string, known?: Stamp): Promise<Bytes | 'known' | Shut | undefined>
  put(key: string, value: Bytes, options?: PutOptions): Promise<void>
}

/** Stores keys, values and stamps in the clear. */
export function plainKv(namespace: KVNamespace): Kv {
  return {
    sealedBy: '',
    read: (key, known) =>
      readUnless(
        namespace,
        key,
        (stamp) =>
          known !== undefined &&
          stamp.organization === known.organization &&
          stamp.revision === known.revision,
      ),
    async put(key, value, { stamp, expirationTtl } = {}) {
      await namespace.put(key, value, options(stamp, expirationTtl))
    },
  }
}

/** Stores nothing that can be read without the deployment's keys. */
export function strictKv(
  namespace: KVNamespace,
  { sealKeys, nameKey }: { sealKeys: SealKeys; nameKey: Uint8Array },
): Kv {
  const envelopes = createEnvelopes(sealKeys, 'kv')
  const [keyOfNames, keyOfTags] = [hmacOf(nameKey, 'kv name'), hmacOf(nameKey, 'kv tag')]
  const nameOf = (key: string) => hmacOf(keyOfNames, key)
  const tagOf = (key: string, { organization, revision }: Stamp) =>
    hmacOf(keyOfTags, JSON.stringify([key, organization, revision]))
  return {
    sealedBy: sealKeys[0].id,
    async read(key, known) {
      const read = await readUnless(
        namespace,
        nameOf(key),
        ({ tag }) => known !== undefined && tag === tagOf(key, known),
      )
      if (read === undefined || read === 'known') return read
      try {
        return await envelopes.open([key], read)
      } catch (error) {
        if (!(error instanceof CannotOpen)) throw error
        console.error(`a value in KV does not open: ${error.message}`)
        return 'shut'
      }
    },
    async put(key, value, { stamp, expirationTtl } = {}) {
      const sealed = await envelopes.seal([key], value)
      const metadata = stamp && { tag: tagOf(key, stamp) }
      await namespace.put(nameOf(key), sealed, options(metadata, expirationTtl))
    },
  }
}

/** A value as it is stored, unless what stands beside it says that it is known. */
async function readUnless(
  namespace: KVNamespace,
  key: string,
  isKnown: (metadata: Metadata) => boolean,
): Promise<Bytes | 'known' | undefined> {
  const { value, metadata } = await namespace.getWithMetadata<Metadata>(key, {
    type: 'stream',
    cacheTtl: CACHE_TTL_SECONDS,
  })
  if (value === null) return undefined
  if (metadata !== null && isKnown(metadata)) {
    await value.cancel()
    return 'known'
  }
  return new Uint8Array(await new Response(value).arrayBuffer())
}

function options(
  metadata: object | undefined,
  expirationTtl: number | undefined,
): KVNamespacePutOptions {
  return {
    ...(metadata !== undefined && { metadata }),
    ...(expirationTtl !== undefined && { expirationTtl }),
  }
}
