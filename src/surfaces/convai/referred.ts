/**
 * What a request refers to by name, secrets and auth connections, and where it does so. A variable may
 * be made later: until then a discovery says that it is missing (`convai-api.md` §11).
 */
import { valueOf } from '../../protocol/http-error.ts'
import type { ConvaiCall } from './call.ts'
import type { Config, ConfigChange } from './config-form.ts'
import { Unprocessable, type Wrong } from './wrong.ts'

const KINDS = {
  secrets: 'a secret',
  connections: 'an auth connection',
}
type Kind = keyof typeof KINDS
type Place = { kind: Kind; name: string; loc: readonly string[] }

/** Throws 422 where a configuration, which stands at `at`, refers to what is not there. */
export async function requireKnown(
  { stub }: Pick<ConvaiCall, 'stub'>,
  config: ConfigChange & Partial<Pick<Config, 'url'>>,
  at: Wrong['loc'],
): Promise<void> {
  const places = placesIn(config)
  if (places.length === 0) return
  const named = (wanted: Kind) =>
    places.filter(({ kind }) => kind === wanted).map(({ name }) => name)
  const missing = valueOf(
    await stub.findMissing({ secrets: named('secrets'), connections: named('connections') }),
  )
  const wrong = places
    .filter(({ kind, name }) => missing[kind].includes(name))
    .map(({ kind, name, loc }) => ({
      type: 'value_error',
      loc: [...at, ...loc],
      msg: `Value error, "${name}" is not the name of ${KINDS[kind]} here`,
    }))
  if (wrong.length > 0) throw new Unprocessable(wrong)
}

function placesIn({
  url,
  request_headers,
  request_meta,
  secret_token,
  auth_connection,
}: ConfigChange & Partial<Pick<Config, 'url'>>): Place[] {
  const values = Object.entries({ request_headers, request_meta }).flatMap(([member, all]) =>
    Object.entries(all ?? {}).flatMap(([name, value]) => placesOf(value, [member, name])),
  )
  return [
    ...placesOf(url, ['url']),
    ...values,
    ...placesOf(secret_token, ['secret_token']),
    ...placesOf(auth_connection, ['auth_connection']),
  ]
}

function placesOf(value: unknown, loc: readonly string[]): Place[] {
  const members: Readonly<Record<string, unknown>> = typeof value === 'object' ? { ...value } : {}
  const place = (kind: Kind, member: string): Place[] => {
    const name = members[member]
    return typeof name === 'string' ? [{ kind, name, loc: [...loc, member] }] : []
  }
  return [...place('secrets', 'secret_id'), ...place('connections', 'auth_connection_id')]
}
