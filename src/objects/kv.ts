/** KV as objects and the Worker reach it: one door for each isolate, made from the bindings. */
import { plainKv, strictKv, type Kv } from '../catalog/kv-door.ts'
import { NameKey } from '../sealing/name-key.ts'
import { SealKeys } from '../sealing/seal-keys.ts'

export type KvBindings = {
  CATALOG: KVNamespace
  SEAL_KEYS: string
  RESIDENCY?: string
  NAME_KEY?: string
}

const doors = new WeakMap<KvBindings, Kv>()

/** The door of an isolate, which all its objects share. */
export function kvOf(env: KvBindings): Kv {
  const door = doors.get(env) ?? createDoor(env)
  doors.set(env, door)
  return door
}

/** Without its key a strict deployment stores nothing: in the clear would be worse. */
function createDoor({ CATALOG, SEAL_KEYS, RESIDENCY, NAME_KEY }: KvBindings): Kv {
  if (RESIDENCY !== 'strict') return plainKv(CATALOG)
  const nameKey = NameKey.parse(NAME_KEY)
  if (nameKey === undefined) throw new Error('NAME_KEY is missing: RESIDENCY strict needs it')
  return strictKv(CATALOG, { sealKeys: SealKeys.parse(SEAL_KEYS), nameKey })
}
