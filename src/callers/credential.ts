/**
 * A key as it is published and remembered: never the secret, only what it opens. A server key opens
 * one hosted server; a member's or an agent's stands for its principal.
 */
import * as z from 'zod'
import type { Sized } from '../memory/lookup.ts'
import { sha256Hex } from '../sealing/digest.ts'

const Common = z.strictObject({
  id: z.string(),
  organization: z.string(),
  expiresAt: z.iso.datetime().optional(),
})

const Published = z.discriminatedUnion('kind', [
  Common.extend({
    kind: z.literal('server'),
    server: z.string(),
    tools: z.array(z.string()).optional(),
  }),
  Common.extend({
    kind: z.enum(['member', 'agent']),
    principal: z.string(),
    /** The environment it is bound to; absent: none. */
    environment: z.string().optional(),
  }),
])
export type PublishedCredential = z.infer<typeof Published>

const Revoked = z.strictObject({})
export const REVOKED = '{}'

type Known = { id: string; organization: string; expiresAtMs: number }

export type ServerCredential = Known & {
  kind: 'server'
  server: string
  /** The names it sees, with a key that is the same exactly when the names are; absent: all. */
  tools: { names: ReadonlySet<string>; key: string } | undefined
}

export type PrincipalCredential = Known & {
  kind: 'member' | 'agent'
  principal: string
  environment: string | undefined
}

export type Credential = ServerCredential | PrincipalCredential

const NAME_BYTES = 120

/** Reads a published record. */
export function parseCredential(text: string): Sized<Credential | 'revoked'> {
  const json: unknown = JSON.parse(text)
  if (Revoked.safeParse(json).success) return { value: 'revoked', bytes: NAME_BYTES }
  const { expiresAt, ...published } = Published.parse(json)
  const expiresAtMs = expiresAt === undefined ? Infinity : Date.parse(expiresAt)
  if (published.kind !== 'server') {
    const { environment, ...rest } = published
    return { value: { ...rest, environment, expiresAtMs }, bytes: 2 * NAME_BYTES }
  }
  const { tools, ...rest } = published
  const names = tools && new Set(tools.toSorted())
  return {
    value: {
      ...rest,
      tools: names && { names, key: sha256Hex(JSON.stringify([...names])) },
      expiresAtMs,
    },
    bytes: NAME_BYTES * (1 + (tools?.length ?? 0)),
  }
}
