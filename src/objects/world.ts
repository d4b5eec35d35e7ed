/** The world as objects and the Worker reach it: one for each isolate, made from the bindings. */
import { SealKeys } from '../sealing/seal-keys.ts'
import { open, seal, type Place } from '../sealing/seal.ts'
import { BoundedMap } from '../memory/bounded-map.ts'
import { createOutbound } from '../upstream/outbound.ts'
import { keyOfField } from '../handlers/secret.ts'
import type { World } from '../upstream/world.ts'
import { parseAccountCredential } from '../handlers/account-credential.ts'
import { accountPlace } from './organization/account-rows.ts'
import { secretPlace } from './organization/secrets.ts'
import type { UpstreamBinding } from './resident.ts'
import { createUpstreams } from './upstreams.ts'

export type WorldBindings = UpstreamBinding & {
  SEAL_KEYS: string
  DEVELOPMENT?: string
  ALLOW_PRIVATE_UPSTREAMS?: string
}

const OPENED_BYTES = 1024 * 1024

const worlds = new WeakMap<WorldBindings, World>()

/** The world of an isolate, which all its objects share. */
export function worldOf(env: WorldBindings): World {
  const world = worlds.get(env) ?? createWorld(env)
  worlds.set(env, world)
  return world
}

/** Opened secrets are remembered in memory, by the sealed text. */
function createWorld(env: WorldBindings): World {
  const keys = SealKeys.parse(env.SEAL_KEYS)
  const opened = new BoundedMap<string>(OPENED_BYTES)
  const reveal = async (place: Place, text: string) => {
    const key = `${JSON.stringify(place)} ${text}`
    const value = opened.get(key) ?? (await open(keys, place, text))
    opened.set(key, value, 2 * (key.length + value.length))
    return value
  }
  return {
    outbound: createOutbound({
      allowsHttp: env.DEVELOPMENT === '1',
      allowsPrivate: env.DEVELOPMENT === '1' && env.ALLOW_PRIVATE_UPSTREAMS === '1',
    }),
    async open(organization, sealed, account) {
      const secrets = new Map<string, string>()
      for (const [name, text] of Object.entries(sealed)) {
        secrets.set(name, await reveal(secretPlace(organization, name), text))
      }
      if (account === undefined) return secrets
      const text = await reveal(accountPlace(organization, account.id), account.sealed)
      for (const [field, value] of Object.entries(parseAccountCredential(text))) {
        secrets.set(keyOfField(field), value)
      }
      return secrets
    },
    seal: (place, text) => seal(keys, place, text),
    unseal: (place, sealed) => open(keys, place, sealed),
    upstreams: createUpstreams(env),
  }
}
