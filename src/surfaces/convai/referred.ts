/** What a request refers to by name, secrets, auth connections and variables, and where it does so. */
import { valueOf } from '../../protocol/http-error.ts'
import { requireMay } from './authorize.ts'
import type { ConvaiCall } from './call.ts'
import type { Config, ConfigChange } from './config-form.ts'
import { Unprocessable, type Wrong } from './wrong.ts'

/** What has to be there; a variable may be made later, and a discovery says so (`convai-api.md` §11). */
const NEEDED = {
  secrets: 'a secret',
  connections: 'an auth connection',
}
type Needed = keyof typeof NEEDED
type Kind = Needed | 'variables'
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
  requireMay(actor, 'servers.write')
  const named = (wanted: Needed) =>
    places.filter(({ kind }) => kind === wanted).map(({ name }) => name)
  const missing = valueOf(
    await stub.findMissing({ secrets: named('secrets'), connections: named('connections') }),
  )
  const wrong = places.flatMap(({ kind, name, loc }): Wrong[] => {
    if (kind === 'variables' || !missing[kind].includes(name)) return []
    const msg = `Value error, "${name}" is not the name of ${NEEDED[kind]} here`
    return [{ type: 'value_error', loc: [...at, ...loc], msg }]
  })
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
  return [
    ...place('secrets', 'secret_id'),
    ...place('connections', 'auth_connection_id'),
    ...place('variables', 'env_var_label'),
  ]
}
