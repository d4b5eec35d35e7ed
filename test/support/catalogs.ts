/** Catalogs as an isolate holds them, made from a server file through the published form. */
import { Catalog } from '../../src/catalog/catalog.ts'
import { formatPublished, parsePublished, type Published } from '../../src/catalog/published.ts'
import { parseServerFile } from '../../src/catalog/server-file.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'

export const ORGANIZATION = 'org_test'
export const SERVER_ID = 'a1b2c3d4e5f6a1b2'

/** The published bytes of a server file, its items in order. */
export function publishedBytes(file: object, revision = 1): Uint8Array<ArrayBuffer> {
  const { settings, items } = parseServerFile(file)
  const server = { organization: ORGANIZATION, id: SERVER_ID, revision, settings }
  const inOrder = items.toSorted((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0))
  return formatPublished(server, inOrder)
}

/** The catalog of a server file at a revision. */
export function catalogOf(file: object, revision = 1): Catalog {
  return new Catalog(readPublished(publishedBytes(file, revision)), new BoundedMap(1024 * 1024))
}

/** Reads published bytes that are no tombstone. */
export function readPublished(bytes: Uint8Array<ArrayBuffer>): Published {
  const published = parsePublished(bytes)
  if ('deleted' in published) throw new Error('a tombstone')
  return published
}
