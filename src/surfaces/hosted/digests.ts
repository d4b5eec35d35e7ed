/**
 * Digests of what a caller is shown, by the kind of list: what changed for this very caller is what
 * has another digest. They are made once for each list and isolate.
 */
import type { Selection } from '../../catalog/catalog.ts'
import type { Family } from '../../protocol/revisions.ts'
import { sha256HexOfBytes } from '../../sealing/digest.ts'
import { visibleTo } from '../../visibility/visible.ts'
import type { Site } from './site.ts'

/** The digests of the lists a caller is shown in a family. */
export function digestsOf(site: Site, family: Family): Record<string, string> {
  const selection = visibleTo(site.caller)
  return { tools: listDigest(site, family, selection) }
}

function listDigest({ catalog, platform }: Site, family: Family, selection: Selection | undefined) {
  const key = ['digest', catalog.organization, catalog.id, catalog.revision, family, selection?.key]
  const known = platform.digests.get(key.join(' '))
  if (known !== undefined) return known
  const digest = sha256HexOfBytes(catalog.list(family, selection))
  platform.digests.set(key.join(' '), digest, 2 * key.join(' ').length + digest.length)
  return digest
}
