/** What a request refers to by name, secrets, auth connections and variables, and where it does so. */
import { valueOf } from '../../protocol/http-error.ts'
import { labelsIn } from '../../handlers/url-variables.ts'
import { requireMay } from './authorize.ts'
import type { ConvaiCall } from './call.ts'
import type { Config, ConfigChange } from './config-form.ts'
import { Unprocessable, type Wrong } from './wrong.ts'

const KINDS = {
  secrets: 'a secret',
  connections: 'an auth connection',
  variables: 'an environment variable',
}
type Kind = keyof typeof KINDS
type Place = { kind: Kind; name: string; loc: readonly string[] }

/**
 * Throws 422 where a configuration, which stands at `at`, refers to what is not there, and 401 unless
 * who asks may have secrets sent: one who names the URL too would be told them by it.
 */
export async function requireReferable(
  { actor, stub }: Pick<ConvaiCall, 'actor' | 'stub'>,
  config: ConfigChange & Partial<Pick<Config, 'url'>>,
  at: Wrong['loc'],
): Promise<void> {
  const places = placesIn(config)
  if (places.length === 0) return
  // A variable in a URL is text, which every member reads.
  if (places.some(({ loc }) => loc[0] !== 'url' || loc.length > 1))
    requireMay(actor, 'servers.write')
  const named = (wanted: Kind) =>
    places.filter(({ kind }) => kind === wanted).map(({ name }) => name)
  const missing = valueOf(
    await stub.findMissing({
      secrets: named('secrets'),
      connections: named('connections'),
      variables: named('variables'),
    }),
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
  const inUrl = typeof url === 'string' ? labelsIn(url) : []
  const values = Object.entries({ request_headers, request_meta }).flatMap(([member, all]) =>
    Object.entries(all ?? {}).flatMap(([name, value]) => placesOf(value, [member, name])),
  )
  return [
    ...inUrl.map((name): Place => ({ kind: 'variables', name, loc: ['url'] })),
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
  return [
    ...place('secrets', 'secret_id'),
    ...place('connections', 'auth_connection_id'),
    ...place('variables', 'env_var_label'),
  ]
}
