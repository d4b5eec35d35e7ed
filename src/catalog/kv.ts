/**
 * What is published in KV, and how it is read. Keys are `kind:id`:
 *
 *   server:{id}             the newest published form of a server, or its tombstone
 *   server:{id}:{revision}  the same of one revision, kept a day, for cursors and those who know it
 *   vanity:{slug}           {"server": id} of the server at /mcp/{slug}, or {} once it is released
 *   surface:{organization}  the published form of an organization's gateway, or its tombstone
 *   credential:{sha256}     a key's record, or {} once it is revoked
 *   principal:{id}          what is a member's or an agent's own, or {} once it is gone
 *
 * Only `Organization` writes. Readers may see a value, or an absence, that is a minute old.
 */
import type { Sized } from '../memory/lookup.ts'
import { Catalog, type Renderings } from './catalog.ts'
import { parsePublished, type Gone } from './published.ts'

export const REVISION_TTL_SECONDS = 24 * 60 * 60
const CACHE_TTL_SECONDS = 60

const GONE_BYTES = 200

export const serverKey = (id: string): string => `server:${id}`
export const revisionKey = (id: string, revision: number): string => `server:${id}:${revision}`
export const vanityKey = (slug: string): string => `vanity:${slug}`
export const surfaceKey = (organization: string): string => `surface:${organization}`
export const principalKey = (id: string): string => `principal:${id}`
export const credentialKey = (hash: string): string => `credential:${hash}`

/** What stands beside a server's value, so that a reader can tell whether it has it already. */
export type ServerMetadata = { organization: string; revision: number }

/** Reads a server's value; where it is the known one, its body is left unread. */
export async function readServer(
  kv: KVNamespace,
  key: string,
  known: Catalog | Gone | undefined,
  renderings: Renderings,
): Promise<Sized<Catalog | Gone> | undefined> {
  const { value, metadata } = await kv.getWithMetadata<ServerMetadata>(key, {
    type: 'stream',
    cacheTtl: CACHE_TTL_SECONDS,
  })
  if (value === null) return undefined
  if (
    known !== undefined &&
    metadata?.organization === known.organization &&
    metadata.revision === known.revision
  ) {
    await value.cancel()
    return { value: known, bytes: known instanceof Catalog ? known.bytes : GONE_BYTES }
  }
  return loadServer(new Uint8Array(await new Response(value).arrayBuffer()), renderings)
}

/** A server from its published bytes. */
export function loadServer(
  bytes: Uint8Array<ArrayBuffer>,
  renderings: Renderings,
): Sized<Catalog | Gone> {
  const published = parsePublished(bytes)
  if ('deleted' in published) return { value: published, bytes: GONE_BYTES }
  const catalog = new Catalog(published, renderings)
  return { value: catalog, bytes: catalog.bytes }
}

/** Reads a small JSON value as text; undefined where there is none. */
export async function readText(kv: KVNamespace, key: string): Promise<string | undefined> {
  return (await kv.get(key, { type: 'text', cacheTtl: CACHE_TTL_SECONDS })) ?? undefined
}
