/** What a gateway is made of, over the admin API, and what is published of it. */
import assert from 'node:assert/strict'
import { Catalog } from '../../src/catalog/catalog.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { readPublished } from './catalogs.ts'
import { eventually } from './eventually.ts'
import type { Rollcall } from './rollcall.ts'
import { serverFile, tool } from './servers.ts'
import { inDatabase } from './storage.ts'

const DEFAULT_ORGANIZATION = 'org_default'

/** A server file of a connector with these tools. */
export function connectorFile(capability: string, names: readonly string[], members: object = {}) {
  const file = { auth: 'key', account: 'required', gateway: capability, ...members }
  return serverFile(
    capability,
    names.map((name) => tool(name)),
    file,
  )
}

/** Makes something over the admin API, and gives the answer's body. */
export async function make(rollcall: Rollcall, path: string, body: object, headers = {}) {
  const made = await rollcall.admin('POST', path, body, headers)
  assert.equal(made.status, 201, made.text)
  return made.json
}

/** The members of an account, all that need be said. */
export function accountOf(server: string, alias: string, members: object = {}) {
  return { server, alias, credential: { token: `token-of-${alias}` }, ...members }
}

/** The bindings of the Worker that tests look into. */
export type Bindings = { CATALOG: KVNamespace }

/** The gateway of an organization as KV has it; undefined where it has none. */
export async function publishedSurface(
  { harness }: Rollcall,
  organization = DEFAULT_ORGANIZATION,
): Promise<Catalog | undefined> {
  const { CATALOG } = await harness.getWorker<Bindings>().getEnv()
  const bytes = await CATALOG.get(`surface:${organization}`, 'arrayBuffer')
  if (bytes === null) return undefined
  return new Catalog(readPublished(new Uint8Array(bytes)), new BoundedMap(1024))
}

/** How often each key of the organization was changed, and put, by kind and name. */
export async function publications(rollcall: Rollcall, organization = DEFAULT_ORGANIZATION) {
  const rows = await inDatabase(rollcall, 'SELECT * FROM publications', organization)
  return new Map(rows.map((row) => [`${String(row['kind'])}:${String(row['name'])}`, row]))
}

/** Waits until KV and all listeners were told everything. */
export async function untilTold(rollcall: Rollcall, organization = DEFAULT_ORGANIZATION) {
  return eventually(
    () => publications(rollcall, organization),
    (all) =>
      [...all.values()].every(
        ({ version, published, announced }) => version === published && published === announced,
      ),
  )
}
