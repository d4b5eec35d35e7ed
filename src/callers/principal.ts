/**
 * A principal of an organization as it is published and remembered: a member or an agent, with what
 * is its own. No name, e-mail, alias, identity or secret is in it (`design.md` §3).
 *
 * KV: `principal:{id}`, one put for a change of what is its own; `{}` once it is gone.
 */
import * as z from 'zod'
import type { Sized } from '../memory/lookup.ts'
import { sha256Hex } from '../sealing/digest.ts'

export const ROLES = ['owner', 'admin', 'member'] as const
export type Role = (typeof ROLES)[number]

/** What a role does not give by itself. */
export const PERMISSIONS = ['connections:org'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** Capabilities it has switched off, whole or by operation; what is not named is on. */
export const PrincipalSettings = z.record(
  z.string().min(1).max(100),
  z.union([z.boolean(), z.record(z.string().min(1).max(100), z.boolean())]),
)
export type PrincipalSettings = z.infer<typeof PrincipalSettings>

/** An account that it sees: its own, or one that was shared with it. */
const VisibleAccount = z.strictObject({
  account: z.string(),
  server: z.string(),
  /** Whether it is its own. */
  own: z.boolean(),
  /** The tools it was shared for; absent: all. */
  tools: z.array(z.string()).optional(),
})
export type VisibleAccount = z.infer<typeof VisibleAccount>

const Published = z.strictObject({
  id: z.string(),
  organization: z.string(),
  kind: z.enum(['member', 'agent']),
  status: z.enum(['active', 'suspended']),
  /** Of a member alone. */
  role: z.enum(ROLES).optional(),
  permissions: z.array(z.enum(PERMISSIONS)),
  settings: PrincipalSettings,
  accounts: z.array(VisibleAccount),
  /** Raised by every change of it. */
  version: z.int(),
})
export type Principal = z.infer<typeof Published>

/** A person as an OAuth issuer knows it. */
export type ExternalId = { issuer: string; subject: string }

/** What a person's memberships are found by. */
export function externalHash({ issuer, subject }: ExternalId): string {
  return sha256Hex(`${issuer}\0${subject}`)
}

export const GONE = '{}'

/** Reads a published record; undefined for a principal that is gone. */
export function parsePrincipal(text: string): Sized<Principal> | undefined {
  if (text === GONE) return undefined
  return { value: Published.parse(JSON.parse(text)), bytes: 2 * text.length }
}
