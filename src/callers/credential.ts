/** A credential as it is published and remembered: never the secret, only what it opens. */
import * as z from 'zod'
import type { Sized } from '../memory/lookup.ts'
import { sha256Hex } from '../sealing/digest.ts'

const Published = z.strictObject({
  id: z.string(),
  kind: z.literal('server'),
  organization: z.string(),
  server: z.string(),
  tools: z.array(z.string()).optional(),
  expiresAt: z.iso.datetime().optional(),
})
export type PublishedCredential = z.infer<typeof Published>

const Revoked = z.strictObject({})
export const REVOKED = '{}'

export type Credential = {
  id: string
  organization: string
  server: string
  /** The names it sees, with a key that is the same exactly when the names are; absent: all. */
  tools: { names: ReadonlySet<string>; key: string } | undefined
  expiresAtMs: number
}

const NAME_BYTES = 120

/** Reads a published record. */
export function parseCredential(text: string): Sized<Credential | 'revoked'> {
  const json: unknown = JSON.parse(text)
  if (Revoked.safeParse(json).success) return { value: 'revoked', bytes: NAME_BYTES }
  const { id, organization, server, tools, expiresAt } = Published.parse(json)
  const names = tools && new Set(tools.toSorted())
  return {
    value: {
      id,
      organization,
      server,
      tools: names && { names, key: sha256Hex(JSON.stringify([...names])) },
      expiresAtMs: expiresAt === undefined ? Infinity : Date.parse(expiresAt),
    },
    bytes: NAME_BYTES * (1 + (tools?.length ?? 0)),
  }
}
