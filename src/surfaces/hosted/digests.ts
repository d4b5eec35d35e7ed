/**
 * Digests of what a caller is shown, by name: what changed for this very caller is what has another
 * digest. Those of lists are made once for each list and isolate.
 */
import { isRemote } from '../../catalog/server.ts'
import type { Kind } from '../../catalog/item.ts'
import { capabilitiesOf } from '../../methods/capabilities.ts'
import { findContents } from '../../methods/resources-read.ts'
import { MODERN_REVISION, type Revision } from '../../protocol/revisions.ts'
import { sha256Hex, sha256HexOfBytes } from '../../sealing/digest.ts'
import { visibleTo } from '../../visibility/visible.ts'
import type { Site } from './site.ts'

/** The lists that clients are told of, and the kinds in each. */
const LISTS: readonly (readonly [string, readonly Kind[]])[] = [
  ['tools', ['tools']],
  ['prompts', ['prompts']],
  ['resources', ['resources', 'resourceTemplates']],
]

const CONTENTS = 'contents '

/** The digests of the lists a caller is shown at a protocol revision, and of the contents at URIs. */
export function digestsOf(
  site: Site,
  revision: Revision,
  uris: readonly string[] = [],
): Record<string, string> {
  const digests: Record<string, string> = {}
  for (const [name, kinds] of LISTS) {
    digests[name] = kinds.map((kind) => listDigest(site, kind, revision)).join(' ')
  }
  return { ...digests, ...contentsDigests(site, uris) }
}

/** The digests of the contents at URIs. */
export function contentsDigests(
  { catalog }: Site,
  uris: readonly string[],
): Record<string, string> {
  if (isRemote(catalog.settings)) return {} // its resources are not here; it tells of updates
  return Object.fromEntries(
    uris.map((uri) => [
      CONTENTS + uri,
      sha256Hex(JSON.stringify(findContents(catalog, uri) ?? null)),
    ]),
  )
}

/** The digests of the lists that a server offers in an era, which are all that a client agrees to. */
export function offeredDigests(site: Site, revision: Revision): Record<string, string> {
  const era = revision === MODERN_REVISION ? 'modern' : 'legacy'
  const offered = capabilitiesOf(site.catalog, era)
  const digests = Object.entries(digestsOf(site, revision))
  return Object.fromEntries(digests.filter(([name]) => name in offered))
}

/** The URI whose contents a digest is of; undefined for the digest of a list. */
export function uriOf(name: string): string | undefined {
  return name.startsWith(CONTENTS) ? name.slice(CONTENTS.length) : undefined
}

function listDigest({ catalog, platform, caller }: Site, kind: Kind, revision: Revision): string {
  const selection = visibleTo(caller, kind)
  const parts = [catalog.organization, catalog.id, catalog.revision, kind, revision, selection?.key]
  const key = parts.join(' ')
  const known = platform.digests.get(key)
  if (known !== undefined) return known
  const digest = sha256HexOfBytes(catalog.list(kind, revision, selection))
  platform.digests.set(key, digest, 2 * (key.length + digest.length))
  return digest
}
