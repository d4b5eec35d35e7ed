/**
 * Each server after a restart: what its organization exports can be explained by the writes that were
 * sent, and its audit log has a row for each revision.
 */
import { explain } from '../explain.ts'
import { readFile, type ServerState } from '../model.ts'
import { believe, headerOf, noteSent, recordOf, type ServerRecord } from '../world.ts'
import { acknowledgedRevision, nameOf, type Listed } from './published.ts'
import { violate, type Scene } from './scene.ts'
import type { AuditRow } from './audit.ts'

/** Compares every server with what was sent, and takes what is there as what stands from now on. */
export async function checkStates(
  scene: Scene,
  listed: readonly Listed[],
  audit: readonly AuditRow[],
): Promise<void> {
  const { world } = scene
  adoptNameless(scene, listed)
  for (const record of world.servers.filter((one) => one.organization.state === 'live')) {
    const there = listed.find(
      (one) => one.organization === record.organization && one.id === record.id,
    )
    const rows = audit.filter((row) => isAbout(row, record)).length
    const counted = record.standing.revision + rows
    const revision = there?.revision ?? counted
    const state = there && (await exportState(scene, record))
    if (revision !== counted) {
      violate(scene, `${rows} rows of audit up to revision ${revision}: ${nameOf(record)}`)
    }
    if (revision < acknowledgedRevision(record)) {
      violate(scene, `revision ${revision} is older than acknowledged: ${nameOf(record)}`)
    }
    const standing = explain(record.standing, record.sent, { revision, state })
    if (standing === undefined) {
      const was = JSON.stringify(record.standing.state)
      violate(
        scene,
        `${JSON.stringify(state)} at ${revision} cannot have come of ${nameOf(record)} from ${was}`,
      )
    }
    record.standing = standing ?? { revision, state, past: new Map([[revision, state]]), kept: 0 }
    world.counts.kept += record.standing.kept
    record.sent = []
    believe(record, state)
    await checkPast(scene, record)
  }
  world.servers = world.servers.filter((one) => one.organization.state === 'live')
}

/** A server with an id that nobody told must be one whose making was never answered. */
function adoptNameless({ world }: Scene, listed: readonly Listed[]): void {
  for (const { organization, id, description } of listed) {
    if (world.servers.some((one) => one.organization === organization && one.id === id)) continue
    const made = world.nameless.find(({ mark }) => mark === description)
    if (made === undefined) world.violations.push(`nobody made the server ${id}`)
    const record = recordOf(world, organization, id)
    if (made !== undefined) noteSent(record, made.sent)
  }
  world.nameless = []
}

/** A kept revision reads as it was then. */
async function checkPast(scene: Scene, record: ServerRecord): Promise<void> {
  const { client, random } = scene
  const { standing, organization, id } = record
  if (standing.state === undefined) return
  const { json } = await client.admin(headerOf(organization), 'GET', `/servers/${id}/revisions`)
  const kept: { revision: number }[] = json.items
  if (kept[0]?.revision !== standing.revision) {
    violate(scene, `the newest kept revision is ${kept[0]?.revision}: ${organization.name}/${id}`)
    return
  }
  const { revision } = random.pick(kept)
  const was = standing.past.get(revision)
  if (was === undefined) return
  const state = await exportState(scene, record, `?revision=${revision}`)
  if (JSON.stringify(state) === JSON.stringify(was)) return
  violate(
    scene,
    `revision ${revision} of ${id} was ${JSON.stringify(was)}, is ${JSON.stringify(state)}`,
  )
}

async function exportState(
  { client }: Scene,
  record: ServerRecord,
  query = '',
): Promise<ServerState> {
  const path = `/servers/${record.id}/export${query}`
  const answer = await client.admin(headerOf(record.organization), 'GET', path)
  if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${answer.text}`)
  return readFile(answer.json)
}

function isAbout({ organization, act, target }: AuditRow, record: ServerRecord): boolean {
  if (organization !== record.organization || !/^(?:servers|tools)\./.test(act)) return false
  return target === record.id || target.startsWith(`${record.id}/`)
}
