/** What is known of remote servers: as the admin API tells it, and in the objects that look after them. */
import assert from 'node:assert/strict'
import type { Upstream } from '../../src/objects/upstream.ts'
import { eventually } from './eventually.ts'
import { inObject, upstreamOf } from './objects.ts'
import type { Rollcall } from './rollcall.ts'

/** What the admin API tells of a server. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
export async function serverOf(rollcall: Rollcall, id: string): Promise<any> {
  const { status, text, json } = await rollcall.admin('GET', `/servers/${id}`)
  assert.equal(status, 200, text)
  return json
}

/** Waits until what is told of a server is as it should be. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
export function untilServer(rollcall: Rollcall, id: string, isSo: (server: any) => boolean) {
  return eventually(() => serverOf(rollcall, id), isSo)
}

/** Has the lists of a remote server read again, by an operator. */
export function refresh(rollcall: Rollcall, id: string) {
  return rollcall.admin('POST', `/servers/${id}/refresh`)
}

/** Lets the next reading be due, and the alarm see it. */
export async function ring(rollcall: Rollcall, id: string): Promise<void> {
  await inObject(rollcall, 'UPSTREAM', upstreamOf(id), 'UPDATE readings SET due_at = 0')
  const { UPSTREAM } = await rollcall.harness
    .getWorker<{ UPSTREAM: DurableObjectNamespace<Upstream> }>()
    .getEnv()
  const owner = { organization: 'org_default', server: id }
  const name = rollcall.objectName(upstreamOf(id).name)
  await UPSTREAM.getByName(name).watch(owner, { uris: [], lists: false }, 0)
}

/** The connections that are stored of a remote server. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
export async function connectionsOf(rollcall: Rollcall, id: string): Promise<any[]> {
  const rows = await inObject(rollcall, 'UPSTREAM', upstreamOf(id), 'SELECT * FROM connections')
  return rows.map(({ connection }) => JSON.parse(String(connection)) as unknown)
}

/** Makes the verdict on a remote server's era a day older than it is. */
export async function age(rollcall: Rollcall, id: string): Promise<void> {
  const sql = `UPDATE connections SET connection = json_set(connection, '$.checkedAt',
    json_extract(connection, '$.checkedAt') - 86400000)`
  await inObject(rollcall, 'UPSTREAM', upstreamOf(id), sql)
}
