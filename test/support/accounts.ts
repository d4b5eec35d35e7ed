/** Who has accounts, and how tests ask the admin API as one of them. */
import { make } from './gateway.ts'
import type { Rollcall } from './rollcall.ts'

export type Principal = { id: string; key: string }

/** Makes a member or an agent with a key of its own. */
export async function makePrincipal(
  rollcall: Rollcall,
  kind: 'member' | 'agent',
  name: string,
): Promise<Principal> {
  const { principal: id, secret } = await make(rollcall, '/keys', { kind, name })
  return { id, key: secret }
}

/** The headers that ask as whoever has a key. */
export const as = ({ key }: { key: string }) => ({ authorization: `Bearer ${key}` })

/** The ids of what a path of the admin API lists. */
export async function listedIds(rollcall: Rollcall, path: string, headers = {}) {
  const { json } = await rollcall.admin('GET', path, undefined, headers)
  return json.items.map(({ id }: { id: string }) => id)
}
