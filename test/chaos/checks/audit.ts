/** The audit log after a restart: what it has got since the last one. */
import { headerOf, type OrganizationRecord } from '../world.ts'
import { violate, type Scene } from './scene.ts'

const PAGE = 1000 // more than is written between two restarts

export type AuditRow = { organization: OrganizationRecord; id: number; act: string; target: string }

/** The rows since the last look, of every organization; each acknowledged act must be among them. */
export async function checkAudit(scene: Scene): Promise<AuditRow[]> {
  const { world, client } = scene
  const rows: AuditRow[] = []
  for (const organization of world.organizations.filter(({ state }) => state === 'live')) {
    const path = `/audit?limit=${PAGE}`
    const { json } = await client.admin(headerOf(organization), 'GET', path)
    const items: Omit<AuditRow, 'organization'>[] = json.items
    const since = items.filter(({ id }) => id > organization.auditSeen)
    rows.push(...since.map((row) => ({ ...row, organization })))
    organization.auditSeen = items[0]?.id ?? 0
  }
  for (const { organization, act, target } of world.audited) {
    const isThere = rows.some(
      (row) => row.organization === organization && row.act === act && row.target === target,
    )
    if (organization.state === 'live' && !isThere) violate(scene, `no audit of ${act} ${target}`)
  }
  world.audited = []
  return rows
}
