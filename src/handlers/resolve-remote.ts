/**
 * A remote server as it is in one environment: each variable gives way to the value it has there, or
 * else in `production`, and an auth connection to what it authorizes by (`surfaces.md` B4, B17).
 */
import type { ConstantHeaders } from './headers.ts'
import { OpenUrl } from './open-url.ts'
import type { ResolvedRemote, StoredAuth, StoredRemote } from './remote.ts'
import type { VariableReference } from './secret.ts'
import { fillUrl, labelsIn } from './url-variables.ts'
import { valueIn, type Variable, type VariableValue } from './variable.ts'

/** What an organization has, for who resolves; each is undefined where it has none of that name. */
export type Known = {
  variable: (label: string) => Variable | undefined
  connection: (id: string) => StoredAuth | undefined
}

/** A remote server that cannot be reached as its settings are; the message says what to change. */
export class Unresolvable extends Error {
  override readonly name = 'Unresolvable'
}

/** The remote server in an environment; throws `Unresolvable` where something of it has no value. */
export function resolveRemote(
  { url, headers, auth, meta, ...rest }: StoredRemote,
  environment: string,
  known: Known,
): ResolvedRemote {
  const valueOf = (label: string) => requireValue(known, label, environment)
  return {
    ...rest,
    url: typeof url === 'string' ? resolveUrl(url, valueOf) : url,
    ...(headers && { headers: resolveMembers(headers, valueOf) as ConstantHeaders }),
    ...(auth && { auth: resolveAuth(auth, valueOf, known) }),
    ...(meta && { meta: resolveMembers(meta, valueOf) as NonNullable<ResolvedRemote['meta']> }),
  }
}

type ValueOf = (label: string) => VariableValue

function resolveUrl(url: string, valueOf: ValueOf): string {
  if (labelsIn(url).length === 0) return url
  const filled = fillUrl(url, (label) => {
    const value = valueOf(label)
    if (typeof value === 'string') return value
    throw new Unresolvable(`The variable "${label}" in the URL is no text`)
  })
  if (OpenUrl.safeParse(filled).success) return filled
  throw new Unresolvable('The URL is none with the values that its variables have')
}

/** The same members, of which those that are variables have their values. */
function resolveMembers(members: Readonly<Record<string, unknown>>, valueOf: ValueOf) {
  const resolved = Object.entries(members).map(([name, member]) => {
    if (!isVariable(member)) return [name, member] as const
    const value = valueOf(member.variable)
    if (typeof value === 'string' || 'secret' in value) return [name, value] as const
    throw new Unresolvable(`The variable "${member.variable}" is an auth connection, not a text`)
  })
  return Object.fromEntries(resolved)
}

function resolveAuth(
  auth: NonNullable<StoredRemote['auth']>,
  valueOf: ValueOf,
  { connection }: Known,
): StoredAuth {
  if (auth.type !== 'connection') return auth
  const id = typeof auth.connection === 'string' ? auth.connection : idOf(auth.connection, valueOf)
  const found = connection(id)
  if (found === undefined) throw new Unresolvable(`The auth connection "${id}" is not there`)
  return found
}

function idOf({ variable }: VariableReference, valueOf: ValueOf): string {
  const value = valueOf(variable)
  if (typeof value === 'object' && 'connection' in value) return value.connection
  throw new Unresolvable(`The variable "${variable}" is no auth connection`)
}

function requireValue({ variable }: Known, label: string, environment: string): VariableValue {
  const found = variable(label)
  if (found === undefined) throw new Unresolvable(`The variable "${label}" is not defined`)
  const value = valueIn(found, environment)
  if (value !== undefined) return value
  throw new Unresolvable(`The variable "${label}" has no value in "${environment}" or by default`)
}

function isVariable(value: unknown): value is VariableReference {
  return typeof value === 'object' && value !== null && 'variable' in value
}
