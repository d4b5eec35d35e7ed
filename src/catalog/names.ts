/** The forms of names and ids (`surfaces.md` D22), and how new ones are made. */
import * as z from 'zod'

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/
const SLUG_LENGTH = 64
const RESERVED_SLUGS: ReadonlySet<string> = new Set(['env'])

export const Slug = z
  .string()
  .regex(SLUG, 'must be 1 to 64 of a-z, 0-9 and inner hyphens')
  .refine((slug) => !RESERVED_SLUGS.has(slug), 'is reserved')

/** What stands before `__` in the names of a server's tools on the gateway (`surfaces.md` C35). */
export const CapabilityId = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'must be 1 to 32 of a-z, 0-9 and inner hyphens')
  .refine((id) => id !== 'manage' && id !== 'org', 'is reserved')

/** What parts a capability from the operation in a name on the gateway. */
export const CAPABILITY_SEPARATOR = '__'

export const SERVER_ID = /^[0-9a-f]{16}$/
export const ServerId = z.string().regex(SERVER_ID, 'must be 16 lower-case hex digits')

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,64}$/
/** `.` and `..` would be steps in the admin API's paths. */
export const ToolName = z
  .string()
  .regex(TOOL_NAME, 'must be 1 to 64 of A-Z, a-z, 0-9, _, . and -')
  .refine((name) => name !== '.' && name !== '..', 'must not be . or ..')

/** A single segment of a path (`surfaces.md` X8). */
export const EnvironmentName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -')
  .refine((name) => name !== '__proto__', 'is reserved') // which is no member of a JSON object

/** An unguessable server id. */
export function mintServerId(): string {
  return hex(crypto.getRandomValues(new Uint8Array(8)))
}

/** An id of ours for anything else: the kind's prefix and 80 random bits. */
export function mintId(prefix: string): string {
  return `${prefix}_${hex(crypto.getRandomValues(new Uint8Array(10)))}`
}

/** What nobody guesses: 256 random bits as 64 hex digits. */
export function mintNonce(): string {
  return hex(crypto.getRandomValues(new Uint8Array(32)))
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'

/** The id of a remote server on convai: 100 random bits in base 32 (`surfaces.md` D17). */
export function mintConfigurationId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20))
  return `mcps_${Array.from(bytes, (byte) => CROCKFORD[byte % 32]).join('')}`
}

/** The slug a name gives; `server` where nothing of it can stand in one. */
export function slugify(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '') // the marks it parts from their letters
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
  return slug === '' || RESERVED_SLUGS.has(slug) ? 'server' : slug
}

/** The first of `slug`, `slug-2`, `slug-3` … that is free. */
export function freeSlug(slug: string, isTaken: (slug: string) => boolean): string {
  let candidate = slug
  for (let n = 2; isTaken(candidate); n++) {
    const suffix = `-${n}`
    candidate = slug.slice(0, SLUG_LENGTH - suffix.length).replace(/-+$/, '') + suffix
  }
  return candidate
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
