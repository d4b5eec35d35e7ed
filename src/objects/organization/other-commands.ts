/** Commands on the organization itself. */
import { HttpError } from '../../protocol/http-error.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'
import { releaseNames, type Name } from './names.ts'
import { deletePrincipal, type RemovedPrincipal } from './principal-commands.ts'
import { listPrincipals } from './principals.ts'
import { notePublication } from './publications.ts'
import {
  isGoing,
  markGoing,
  requireOrganization,
  writeOrganization,
  type OrganizationRecord,
} from './record.ts'
import { deleteServer, type RemovedServer } from './server-commands.ts'
import { listServers } from './servers.ts'
import { noteSurface } from './surface.ts'

/** Makes the organization under its name, or changes the name. */
export async function nameOrganization(
  context: Context,
  name: string,
  { actor }: Write,
): Promise<OrganizationRecord> {
  const { sql, organization: id, now } = context
  if (isGoing(sql))
    throw new HttpError(409, 'organization_going', 'The organization is being deleted')
  const byName = (label: string): Name => ({ kind: 'organization', name: label, target: id })
  await context.claims.claiming(id, [byName(name), byName(id)], () => {
    const old = [...sql.exec<{ name: string }>('SELECT name FROM organization')][0]?.name
    if (old === name) return
    writeOrganization(sql, id, name, now)
    if (old !== undefined) releaseNames(sql, [byName(old)])
    if (old === undefined) noteSurface(sql)
    const act = old === undefined ? 'organizations.create' : 'organizations.rename'
    writeAudit(sql, { actor, act, target: id, detail: { name } }, now)
  })
  return requireOrganization(sql)
}

/** Puts a message of a member or an agent in the log that admins read; when that was. */
export function sendFeedback(context: Context, message: string, { actor }: Write): string {
  const { sql, now } = context
  context.transact(() =>
    writeAudit(sql, { actor, act: 'feedback.send', target: actor, detail: { message } }, now),
  )
  return new Date(now).toISOString()
}

/** What went with an organization, for those who remember it. */
export type RemovedOrganization = { servers: RemovedServer[]; principals: RemovedPrincipal[] }

/** Takes the organization away with all that is its; its storage goes once KV was told. */
export function deleteOrganization(context: Context, write: Write): RemovedOrganization {
  const { sql, organization: id, now } = context
  return context.transact(() => {
    const { name } = requireOrganization(sql)
    const { actor } = write
    const servers = listServers(sql, '', Number.MAX_SAFE_INTEGER, 'all').map(({ id: server }) =>
      deleteServer(context, server, { actor }),
    )
    const principals = (['member', 'agent'] as const).flatMap((kind) =>
      listPrincipals(sql, kind, '', Number.MAX_SAFE_INTEGER).map((principal) =>
        deletePrincipal(context, kind, principal.id, { actor }),
      ),
    )
    markGoing(sql, now)
    notePublication(sql, 'surface', id)
    releaseNames(sql, [
      { kind: 'organization', name, target: id },
      { kind: 'organization', name: id, target: id },
    ])
    return { servers, principals }
  })
}
