/** KV as objects and the Worker reach it: one door for each isolate, made from the bindings. */
import { plainKv, strictKv, type Kv } from '../catalog/kv-door.ts'
import { Residence } from '../sealing/residence.ts'
import { SealKeys } from '../sealing/seal-keys.ts'

export type KvBindings = { CATALOG: KVNamespace; SEAL_KEYS: string }

const doors = new WeakMap<KvBindings, Kv>()

/** The door of an isolate, which all its objects share. */
export function kvOf(env: KvBindings): Kv {
  const door = doors.get(env) ?? createDoor(env)
  doors.set(env, door)
  return door
}

function createDoor(env: KvBindings): Kv {
  const { RESIDENCY, NAME_KEY: nameKey } = Residence.parse(env)
  if (RESIDENCY !== 'strict' || nameKey === undefined) return plainKv(env.CATALOG) // strict has its key
  return strictKv(env.CATALOG, { sealKeys: SealKeys.parse(env.SEAL_KEYS), nameKey })
}
