/** What is stored: an organization's database and the KV, for what no answer shows. */
import type { Rollcall } from './rollcall.ts'

const DEFAULT_ORGANIZATION = 'org_default'

export type Row = Record<string, unknown>

/** Runs SQL in an organization's database. */
export async function inDatabase(
  rollcall: Rollcall,
  sql: string,
  organization = DEFAULT_ORGANIZATION,
): Promise<Row[]> {
  const storage = await rollcall.harness
    .getWorker()
    .getDurableObjectStorage('ORGANIZATION', { name: rollcall.objectName(organization) })
  return storage.exec(sql)
}

/** Every row of every table of an organization's database, as one text. */
export async function dumpDatabase(rollcall: Rollcall, organization?: string): Promise<string> {
  const tables = await inDatabase(
    rollcall,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'",
    organization,
  )
  const rows = tables.map(({ name }) =>
    inDatabase(rollcall, `SELECT * FROM "${String(name)}"`, organization),
  )
  return JSON.stringify(await Promise.all(rows))
}

/** Every key of the KV with its value. */
export async function dumpKv({ harness }: Rollcall): Promise<Map<string, string>> {
  const { CATALOG } = await harness.getWorker<{ CATALOG: KVNamespace }>().getEnv()
  const { keys } = await CATALOG.list()
  const entries = keys.map(async ({ name }) => [name, (await CATALOG.get(name)) ?? ''] as const)
  return new Map(await Promise.all(entries))
}

/**
 * Lets the next change of every server be published at once: KV takes one write a second for a key,
 * and a test of many published revisions need not wait for it.
 */
export async function forgetWhenPublished(rollcall: Rollcall): Promise<void> {
  await inDatabase(rollcall, 'UPDATE publications SET put_at = 0')
}
