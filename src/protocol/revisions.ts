/**
 * The protocol revisions we speak, and the two eras they fall into: the session era opens with
 * `initialize`, in the stateless era every request says its own revision (`mcp-protocol.md` §1).
 */

export const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export type LegacyRevision = (typeof LEGACY_REVISIONS)[number]

export const MODERN_REVISION = '2026-07-28'
export type Revision = LegacyRevision | typeof MODERN_REVISION

/** What `server/discover` and −32022 advertise: one constant, since a client compares them (§1.6). */
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_REVISION]

export const NEWEST_LEGACY: LegacyRevision = '2025-11-25'

/** The revision of a request that names none (§3.6). */
export const ASSUMED_LEGACY: LegacyRevision = '2025-03-26'

const LEGACY: ReadonlySet<string> = new Set(LEGACY_REVISIONS)

export function isLegacyRevision(revision: string): revision is LegacyRevision {
  return LEGACY.has(revision)
}

/** Whether a header or claim belongs to the stateless era, known to us or not: by date (§1.1). */
export function isModern(revision: string): boolean {
  return revision >= MODERN_REVISION
}

/** Every revision, oldest first. */
export const REVISIONS: readonly Revision[] = [...LEGACY_REVISIONS, MODERN_REVISION]
