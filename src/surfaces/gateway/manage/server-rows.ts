/** A server as `manage__*` tools tell of one: what it is and where it stands, and never a secret. */
import { capabilityOf, isRemote, needsAccount } from '../../../catalog/server.ts'
import { SERVER_ID } from '../../../catalog/names.ts'
import type { ServerRecord } from '../../../objects/organization/servers.ts'
import { valueOf } from '../../../protocol/http-error.ts'
import type { ManageCall } from './manage-tool.ts'

const PAGE_LIMIT = 100

const text = { type: 'string' }

/** The argument that names a server. */
export const SERVER_ARGUMENT = {
  type: 'string',
  pattern: SERVER_ID.source,
  description: 'Id of the server, as servers_list and remote_list give it',
}

/** The argument with which a list goes on. */
export const CURSOR_ARGUMENT = {
  type: 'string',
  maxLength: 100,
  description: 'next_cursor of the page before; absent: the beginning',
}

/** Schema of `serverRow`. */
export const SERVER_ROW = {
  type: 'object',
  properties: {
    id: text,
    name: text,
    slug: text,
    kind: { enum: ['hosted', 'remote'] },
    status: { enum: ['active', 'paused', 'draft'] },
    capability: {
      type: ['string', 'null'],
      description: 'What its tools begin with on this endpoint; null: it is not shown here',
    },
    connector: { type: 'boolean', description: 'Whether its calls need an account' },
    tool_count: { type: 'integer' },
  },
  required: ['id', 'name', 'slug', 'kind', 'status', 'capability', 'connector', 'tool_count'],
  additionalProperties: false,
}

/** Schema of `remoteRow`. */
export const REMOTE_ROW = {
  ...SERVER_ROW,
  properties: {
    ...SERVER_ROW.properties,
    url: text,
    refreshed_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When its lists were read last; null: never',
    },
    down_since: { type: 'string', format: 'date-time' },
    problem: { type: 'string', description: 'Why it could not be read last' },
    left_count: { type: 'integer', description: 'How much of its lists is not shown' },
  },
  required: [...SERVER_ROW.required, 'url', 'refreshed_at', 'left_count'],
}

/** What every list of servers tells. */
export function serverRow({ id, settings, toolCount }: ServerRecord) {
  const { name, slug, status } = settings
  return {
    id,
    name,
    slug,
    kind: isRemote(settings) ? 'remote' : 'hosted',
    status,
    capability: capabilityOf(settings) ?? null,
    connector: needsAccount(settings),
    tool_count: toolCount,
  }
}

/** What is told of one remote server, with what was found there. */
export function remoteRow(record: ServerRecord) {
  const { settings, upstream } = record
  return {
    ...serverRow(record),
    url: settings.remote?.url ?? '',
    refreshed_at: upstream?.refreshedAt ?? null,
    ...(upstream?.downSince !== undefined && { down_since: upstream.downSince }),
    ...(upstream?.problem !== undefined && { problem: upstream.problem }),
    left_count: upstream?.leftCount ?? 0,
  }
}

/** A page of servers, and where the next begins. */
export async function readServers({ args, stub }: ManageCall, which: 'all' | 'remote') {
  const { cursor = '' } = args as { cursor?: string }
  const records = valueOf(await stub.listServers(cursor, PAGE_LIMIT + 1, which))
  const page = records.slice(0, PAGE_LIMIT)
  const next = records.length > PAGE_LIMIT ? page.at(-1)?.id : undefined
  return { records: page, ...(next !== undefined && { next_cursor: next }) }
}
