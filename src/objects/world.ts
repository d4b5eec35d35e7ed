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
  const reveal = (place: Place, text: string): string | Promise<string> => {
    const key = `${JSON.stringify(place)} ${text}`
    return (
      opened.get(key) ??
      open(keys, place, text).then((value) => {
        opened.set(key, value, 2 * (key.length + value.length))
        return value
      })
    )
  }
  return {
    outbound: createOutbound({
      allowsHttp: env.DEVELOPMENT === '1',
      allowsPrivate: env.DEVELOPMENT === '1' && env.ALLOW_PRIVATE_UPSTREAMS === '1',
    }),
    open(organization, sealed, account) {
      const secrets = new Map<string, string>()
      const waits: Promise<void>[] = []
      const take = (value: string | Promise<string>, put: (text: string) => void) => {
        if (value instanceof Promise) waits.push(value.then(put))
        else put(value)
      }
      if (account !== undefined) {
        const value = reveal(accountPlace(organization, account.id), account.sealed)
        take(value, (plain) => {
          const fields = Object.entries(parseAccountCredential(plain))
          for (const [field, text] of fields) secrets.set(keyOfField(field), text)
        })
      }
      for (const [name, text] of Object.entries(sealed)) {
        const value = reveal(secretPlace(organization, name), text)
        take(value, (plain) => void secrets.set(name, plain))
      }
      return waits.length === 0 ? secrets : Promise.all(waits).then(() => secrets)
    },
    seal: (place, text) => seal(keys, place, text),
    unseal: (place, sealed) => open(keys, place, sealed),
    upstreams: createUpstreams(env),
  }
}
