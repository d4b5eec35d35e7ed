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
 * A strict deployment has HMACs of these keys, and sealed values (kv-door.ts). Only `Organization`
 * writes. Readers may see a value, or an absence, that is a minute old.
 */
import type { Shut, Sized } from '../memory/lookup.ts'
import { Catalog, type Renderings } from './catalog.ts'
import type { Kv, Stamp } from './kv-door.ts'
import { parsePublished, type Gone } from './published.ts'

export const REVISION_TTL_SECONDS = 24 * 60 * 60

const GONE_BYTES = 200

export const serverKey = (id: string): string => `server:${id}`
export const revisionKey = (id: string, revision: number): string => `server:${id}:${revision}`
export const vanityKey = (slug: string): string => `vanity:${slug}`
export const surfaceKey = (organization: string): string => `surface:${organization}`
export const principalKey = (id: string): string => `principal:${id}`
export const credentialKey = (hash: string): string => `credential:${hash}`

/** Reads a server's value; where it is the known one, its body is left unread. */
export async function readServer(
  kv: Kv,
  key: string,
  known: Catalog | Gone | undefined,
  renderings: Renderings,
): Promise<Sized<Catalog | Gone> | Shut | undefined> {
  const bytes = known instanceof Catalog ? known.bytes : GONE_BYTES
  const load = (value: Uint8Array<ArrayBuffer>) => loadServer(value, renderings)
  return readPublished(kv, key, known && { value: known, bytes }, load)
}

/** Reads a published value, which `load` makes the most of; one that is known stays what it is. */
export async function readPublished<T extends Stamp>(
  kv: Kv,
  key: string,
  known: Sized<T> | undefined,
  load: (bytes: Uint8Array<ArrayBuffer>) => Sized<T>,
): Promise<Sized<T> | Shut | undefined> {
  const read = await kv.read(key, known?.value)
  if (read === 'known') return known
  return read === undefined || read === 'shut' ? read : load(read)
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

/** Reads a small JSON value, which `parse` makes the most of. */
export async function readSmall<T>(
  kv: Kv,
  key: string,
  parse: (text: string) => T,
): Promise<T | Shut | undefined> {
  const read = await kv.read(key)
  if (read === 'shut') return read
  return read === undefined || read === 'known' ? undefined : parse(new TextDecoder().decode(read))
}
