/**
 * What is done with keys, on the admin API and by `manage__*` tools alike (`surfaces.md` D14): who may,
 * what a new one must be, and what this isolate takes in of it. Members see and end their own.
 */
import { may, requireMay, requireMayGive, type Act, type Actor } from '../callers/may.ts'
import { mintKey, type KeyKind } from '../callers/secret.ts'
import { invalid } from '../catalog/issues.ts'
import { mintId } from '../catalog/names.ts'
import type { Write } from '../objects/organization/context.ts'
import type { KeyFilter, KeyRecord } from '../objects/organization/credentials.ts'
import type { NewPrincipal } from '../objects/organization/principals.ts'
import { HttpError, valueOf } from '../protocol/http-error.ts'
import { sha256Hex } from '../sealing/digest.ts'
import type { Acting } from './acting.ts'
import type { KeyBody } from './key-forms.ts'
import { learnRevoked } from './platform.ts'

/** A key with its secret, which is told once. */
export type MintedKey = KeyRecord & { secret: string }

/** Makes a key, and with it the principal that it is for where none is named. */
export async function makeKey(acting: Acting, body: KeyBody, write: Write): Promise<MintedKey> {
  const { made, principal } = holderOf(acting.actor, body)
  const secret = mintKey(body.kind)
  const { name, expiresAt } = body
  const key = {
    ...(body.kind === 'server'
      ? { server: body.server, tools: body.tools }
      : { principal, environment: body.environment, monthlyCap: body.monthlyCap }),
    id: mintId('key'),
    kind: body.kind,
    name,
    expiresAt,
    ...minted(secret),
  }
  return { ...valueOf(await acting.stub.createKey(key, write, made)), secret }
}

/** The keys that the actor sees, by id, after one: who does not administer sees its own. */
export async function keysSeen(
  { actor, stub }: Pick<Acting, 'actor' | 'stub'>,
  filter: KeyFilter,
  after: string,
  limit: number,
): Promise<KeyRecord[]> {
  const isNarrowed = actor !== 'operator' && may(actor, 'keys.read') !== undefined
  const narrowed = isNarrowed ? { ...filter, principal: actor.principal.id } : filter
  return valueOf(await stub.listKeys(narrowed, after, limit))
}

/** A key that the actor may see; 404 for another's as for a made-up one. */
export async function requireVisibleKey(
  { actor, stub }: Pick<Acting, 'actor' | 'stub'>,
  id: string,
): Promise<KeyRecord> {
  const key = valueOf(await stub.getKey(id))
  if (isOwn(actor, key) || may(actor, 'keys.read') === undefined) return key
  throw new HttpError(404, 'key_not_found', `There is no key ${id}`)
}

/** Gives a key another secret; who may is who might have made it. */
export async function renewKey(acting: Acting, id: string, write: Write): Promise<MintedKey> {
  const found = await requireVisibleKey(acting, id)
  requireMay(acting.actor, mintActOf(acting.actor, found))
  const secret = mintKey(found.kind)
  const { key, oldHash } = valueOf(await acting.stub.rotateKey(id, minted(secret), write))
  learnRevoked(acting.platform, oldHash)
  return { ...key, secret }
}

/** Revokes a key: one's own, or as who administers that of nobody above. */
export async function endKey(acting: Acting, id: string, write: Write): Promise<void> {
  const { actor, stub } = acting
  const key = await requireVisibleKey(acting, id)
  let { expected } = write
  if (!isOwn(actor, key)) {
    requireMay(actor, 'keys.revoke')
    if (key.kind === 'member') {
      const member = valueOf(await stub.getPrincipal('member', key.principal ?? ''))
      requireMayGive(actor, member.role ?? 'owner')
      expected ??= member.version // so that it holds for the member as it is
    }
  }
  const { hash } = valueOf(await stub.deleteKey(id, { ...write, expected }))
  learnRevoked(acting.platform, hash)
}

/** Whose a new key is; throws unless the actor may make it. */
function holderOf(
  actor: Actor,
  body: KeyBody,
): { principal?: string; made?: NewPrincipal | undefined } {
  if (body.kind === 'member' && body.principal !== undefined && body.role !== undefined) {
    throw invalid([{ path: 'role', message: 'is of a new member alone' }])
  }
  const own = actor !== 'operator' && body.kind === 'member' ? actor.principal.id : undefined
  const named = body.kind === 'server' ? undefined : (body.principal ?? own)
  requireMay(actor, mintActOf(actor, { kind: body.kind, principal: named }))
  if (body.kind === 'server') return {}
  if (named !== undefined) {
    if (body.kind === 'agent' || body.role === undefined) return { principal: named }
    throw invalid([{ path: 'role', message: 'cannot be given with a key of one’s own' }])
  }
  const { kind, name } = body
  const id = mintId(kind === 'member' ? 'mem' : 'agt')
  const common = { id, kind, name, permissions: [], settings: {}, status: 'active' as const }
  const made = body.kind === 'member' ? { ...common, role: body.role ?? 'member' } : common
  return { principal: id, made }
}

/** What making a key's secret is: a key of another member would be that member. */
function mintActOf(actor: Actor, key: { kind: KeyKind; principal?: string | undefined }): Act {
  if (key.kind !== 'member') return 'keys.mint'
  return isOwn(actor, key) ? 'keys.mint.own' : 'keys.mint.other'
}

function isOwn(actor: Actor, { principal }: { principal?: string | undefined }): boolean {
  return actor !== 'operator' && principal !== undefined && actor.principal.id === principal
}

function minted(secret: string): { hash: string; lastFour: string } {
  return { hash: sha256Hex(secret), lastFour: secret.slice(-4) }
}
