/**
 * How an auth connection authorizes, as people give it: like a remote server's `auth`, but a secret may
 * also stand in it by its value. Such values are the connection's own secrets, `<id>.<field>`, sealed
 * beside it; what is kept and answered of them is their names (`surfaces.md` B18).
 */
import * as z from 'zod'
import { authOf } from '../handlers/auth.ts'
import type { StoredAuth } from '../handlers/remote.ts'
import { SecretReference, SecretText } from '../handlers/secret.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { mintId } from './names.ts'

const Value = z.strictObject({ value: SecretText }).meta({ description: 'Sealed, never answered' })
const ReferenceOrValue = z.union([SecretReference, Value], {
  error: 'must be {"value":"…"} or {"secret":"name"}',
})
const Open = z.union([z.string().max(8192), SecretReference, Value])

/** How a connection authorizes, with values in it that are to be sealed. */
export const ConnectionAuth = authOf(ReferenceOrValue, Open).refine(
  ({ type }) => type !== 'none',
  'must not be none',
)
export type ConnectionAuth = z.input<typeof ConnectionAuth>

/** The same with names where values stood, and the values by those names. */
export type SealableAuth = { auth: StoredAuth; secrets: Record<string, string> }

/** Takes the values out of what a connection authorizes by. */
export function takeValues(id: string, given: ConnectionAuth): SealableAuth {
  const secrets: Record<string, string> = {}
  const take = (member: unknown, field: () => string): unknown => {
    if (!isObject(member) || typeof member['value'] !== 'string') return member
    const name = `${id}.${field()}`
    secrets[name] = member['value']
    return { secret: name }
  }
  const members = Object.entries(given).map(([name, member]: [string, unknown]) => {
    if (name === 'params' || name === 'claims') return [name, member] as const
    if (name !== 'headers' || !isObject(member)) return [name, take(member, () => name)] as const
    const headers = Object.entries(member).map(([header, value]) => [
      header,
      take(value, () => mintId('header')), // whose own name may have what a secret's cannot
    ])
    return [name, Object.fromEntries(headers)] as const
  })
  return { auth: Object.fromEntries(members) as StoredAuth, secrets }
}

const OWNED = /^ac_[0-9a-f]{20}\./

/** Whether a name of a secret is kept for the fields of connections. */
export function isOwned(name: string): boolean {
  return OWNED.test(name)
}
