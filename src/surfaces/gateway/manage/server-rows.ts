/** A server as `manage__*` tools tell of one: what it is and where it stands, and never a secret. */
import * as z from 'zod'
import { ServerId } from '../../../catalog/names.ts'
import {
  ApprovalPolicy,
  approvalPolicyOf,
  capabilityOf,
  isRemote,
  needsAccount,
} from '../../../catalog/server.ts'
import type { ServerRecord } from '../../../objects/organization/servers.ts'

/** The argument that names a server. */
export const ServerArgument = ServerId.meta({
  description: 'Id of the server, as servers_list and remote_list give it',
})

/** What every list of servers tells. */
export const ServerRow = z.strictObject({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  kind: z.enum(['hosted', 'remote']),
  status: z.enum(['active', 'paused', 'draft']),
  capability: z.string().nullable().meta({
    description: 'What its tools begin with on this endpoint; null: it is not shown here',
  }),
  connector: z.boolean().meta({ description: 'Whether its calls need an account' }),
  toolCount: z.int(),
})
type ServerRow = z.infer<typeof ServerRow>

/** What a list of remote servers tells beside. */
export const RemoteRow = ServerRow.extend({
  url: z.string().meta({ description: 'Its MCP endpoint' }),
})
type RemoteRow = z.infer<typeof RemoteRow>

/** What is told of one remote server, with what was found there. */
export const RemoteState = RemoteRow.extend({
  refreshedAt: z.iso.datetime().nullable().meta({
    description: 'When its lists were read last; null: never',
  }),
  downSince: z.iso.datetime().optional(),
  problem: z.string().optional().meta({ description: 'Why it could not be read last' }),
  approvalPolicy: ApprovalPolicy.meta({
    description: 'Whether its tools are shown and called without a person having approved them',
  }),
  leftCount: z.int().meta({ description: 'How much of its lists is not shown' }),
})
type RemoteState = z.infer<typeof RemoteState>

/** A server in a list. */
export function serverRow({ id, settings, toolCount }: ServerRecord): ServerRow {
  const { name, slug, status } = settings
  return {
    id,
    name,
    slug,
    kind: isRemote(settings) ? 'remote' : 'hosted',
    status,
    capability: capabilityOf(settings) ?? null,
    connector: needsAccount(settings),
    toolCount,
  }
}

/** A remote server in a list. */
export function remoteRow(record: ServerRecord): RemoteRow {
  const { url = '' } = record.settings.remote ?? {}
  return { ...serverRow(record), url: typeof url === 'string' ? url : '(a secret)' }
}

/** One remote server. */
export function remoteState(record: ServerRecord): RemoteState {
  const { refreshedAt = null, downSince, problem, leftCount = 0 } = record.upstream ?? {}
  return {
    ...remoteRow(record),
    refreshedAt,
    ...(downSince !== undefined && { downSince }),
    ...(problem !== undefined && { problem }),
    approvalPolicy: approvalPolicyOf(record.settings),
    leftCount,
  }
}
