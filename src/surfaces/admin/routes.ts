/**
 * The admin API, a line a route: the router and `GET /openapi.json` are both made from this table,
 * and the schemas it names are those that check requests (`design.md` §8).
 */
import * as z from 'zod'
import { ServerFile } from '../../catalog/server-file.ts'
import { SettingsPatch } from '../../catalog/server.ts'
import { ToolInput } from '../../catalog/tool.ts'
import { CallToolResult } from '../../protocol/tool.ts'
import type { AdminCall } from './call.ts'
import * as calls from './calls.ts'
import * as keys from './keys.ts'
import * as organizations from './organizations.ts'
import type { OperatorCall } from './organizations.ts'
import * as servers from './servers.ts'
import * as sessions from './sessions.ts'
import * as tools from './tools.ts'
import { TryBody, tryTool } from './try-tool.ts'

type Shape = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  body?: z.ZodType
  /** Query parameters, by name. */
  query?: Readonly<Record<string, string>>
  /** What success is, by status; null for no body. */
  answers: Readonly<Record<number, z.ZodType | null>>
}

export type Route = Shape &
  (
    | { scope: 'organization'; handler: (call: AdminCall) => Promise<Response> }
    | { scope: 'deployment'; handler: (call: OperatorCall) => Promise<Response> }
  )

const listOf = (item: z.ZodType) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().optional() })
const PAGE = { limit: 'At most so many items, 1 to 1000', cursor: 'nextCursor of the page before' }
const DRY_RUN = { dryRun: 'true: check it all and answer the server file after it; write nothing' }
const { ServerAnswer } = servers

const inOrganization = (
  method: Route['method'],
  path: string,
  handler: (call: AdminCall) => Promise<Response>,
  rest: Omit<Shape, 'method' | 'path'>,
): Route => ({ scope: 'organization', method, path, handler, ...rest })

const inDeployment = (
  method: Route['method'],
  path: string,
  handler: (call: OperatorCall) => Promise<Response>,
  rest: Omit<Shape, 'method' | 'path'>,
): Route => ({ scope: 'deployment', method, path, handler, ...rest })

export const ROUTES: readonly Route[] = [
  inDeployment('GET', '/organizations', organizations.listOrganizations, {
    summary: 'List organizations',
    query: PAGE,
    answers: { 200: listOf(z.strictObject({ id: z.string(), name: z.string() })) },
  }),
  inDeployment('POST', '/organizations', organizations.createOrganization, {
    summary: 'Make an organization',
    body: organizations.OrganizationBody,
    answers: { 201: organizations.OrganizationAnswer },
  }),
  inDeployment('GET', '/organizations/:id', organizations.getOrganization, {
    summary: 'One organization, by id or name',
    answers: { 200: organizations.OrganizationAnswer },
  }),
  inDeployment('PATCH', '/organizations/:id', organizations.patchOrganization, {
    summary: 'Rename an organization',
    body: organizations.OrganizationPatch,
    answers: { 200: organizations.OrganizationAnswer },
  }),
  inDeployment('DELETE', '/organizations/:id', organizations.deleteOrganization, {
    summary: 'Delete an organization with all that is its',
    answers: { 204: null },
  }),

  inOrganization('GET', '/servers', servers.listServers, {
    summary: 'List servers',
    query: PAGE,
    answers: { 200: listOf(ServerAnswer) },
  }),
  inOrganization('POST', '/servers', servers.createServer, {
    summary: 'Make a server from a server file',
    body: ServerFile,
    query: DRY_RUN,
    answers: { 200: ServerFile, 201: ServerAnswer },
  }),
  inOrganization('POST', '/servers/import', servers.importServer, {
    summary: 'Make a server from a server file, under a new id and a free slug',
    body: ServerFile,
    answers: { 201: ServerAnswer },
  }),
  inOrganization('GET', '/servers/:id', servers.getServer, {
    summary: 'One server',
    answers: { 200: ServerAnswer },
  }),
  inOrganization('PUT', '/servers/:id', servers.putServer, {
    summary: 'Apply a server file: make the server, or replace it',
    body: ServerFile,
    query: DRY_RUN,
    answers: { 200: z.union([ServerAnswer, ServerFile]), 201: ServerAnswer },
  }),
  inOrganization('PATCH', '/servers/:id', servers.patchServer, {
    summary: 'Change settings; null takes one back to its default',
    body: SettingsPatch,
    answers: { 200: ServerAnswer },
  }),
  inOrganization('DELETE', '/servers/:id', servers.deleteServer, {
    summary: 'Delete a server, its tools and keys',
    answers: { 204: null },
  }),
  inOrganization('POST', '/servers/:id/duplicate', servers.duplicateServer, {
    summary: 'Copy a server',
    answers: { 201: ServerAnswer },
  }),
  inOrganization('POST', '/servers/:id/refresh', servers.refreshServer, {
    summary: 'Read the lists of a remote server now',
    answers: { 200: ServerAnswer },
  }),
  inOrganization('GET', '/servers/:id/export', servers.exportServer, {
    summary: 'The server file',
    query: { revision: 'A kept revision; absent: the newest' },
    answers: { 200: ServerFile },
  }),
  inOrganization('GET', '/servers/:id/revisions', servers.listRevisions, {
    summary: 'The kept revisions, newest first',
    answers: { 200: listOf(servers.RevisionAnswer) },
  }),
  inOrganization('POST', '/servers/:id/rollback', servers.rollbackServer, {
    summary: 'Make a kept revision the newest',
    body: servers.RollbackBody,
    answers: { 200: ServerAnswer },
  }),
  inOrganization('GET', '/servers/:id/preview', servers.previewServer, {
    summary: 'What a caller would be listed, and why the rest is withheld',
    query: { credential: 'Id of a server key', surface: 'hosted' },
    answers: { 200: servers.PreviewAnswer },
  }),

  inOrganization('GET', '/servers/:id/tools', tools.listTools, {
    summary: 'List tools in order, paused ones too',
    query: PAGE,
    answers: { 200: listOf(ToolInput) },
  }),
  inOrganization('POST', '/servers/:id/tools', tools.createTool, {
    summary: 'Add a tool',
    body: ToolInput,
    answers: { 201: ToolInput },
  }),
  inOrganization('POST', '/servers/:id/tools/reorder', tools.reorderTools, {
    summary: 'Put the named tools first',
    body: tools.ReorderBody,
    answers: { 200: tools.ReorderAnswer },
  }),
  inOrganization('GET', '/servers/:id/tools/:name', tools.getTool, {
    summary: 'One tool',
    answers: { 200: ToolInput },
  }),
  inOrganization('PUT', '/servers/:id/tools/:name', tools.putTool, {
    summary: 'Add or replace a tool',
    body: ToolInput,
    answers: { 200: ToolInput, 201: ToolInput },
  }),
  inOrganization('PATCH', '/servers/:id/tools/:name', tools.patchTool, {
    summary: 'Change members of a tool, null takes one away; of a remote tool, what it is shown as',
    body: tools.ToolPatch,
    answers: { 200: ToolInput },
  }),
  inOrganization('DELETE', '/servers/:id/tools/:name', tools.deleteTool, {
    summary: 'Delete a tool',
    answers: { 204: null },
  }),
  inOrganization('POST', '/servers/:id/tools/:name/call', tryTool, {
    summary: 'Try a tool as the operator',
    body: TryBody,
    answers: { 200: CallToolResult },
  }),

  inOrganization('GET', '/keys', keys.listKeys, {
    summary: 'List keys',
    query: { ...PAGE, server: 'Keys of this server alone' },
    answers: { 200: listOf(keys.KeyAnswer) },
  }),
  inOrganization('POST', '/keys', keys.createKey, {
    summary: 'Make a server key',
    body: keys.KeyBody,
    answers: { 201: keys.NewKeyAnswer },
  }),
  inOrganization('GET', '/keys/:id', keys.getKey, {
    summary: 'One key',
    answers: { 200: keys.KeyAnswer },
  }),
  inOrganization('DELETE', '/keys/:id', keys.deleteKey, {
    summary: 'Revoke a key',
    answers: { 204: null },
  }),

  inOrganization('GET', '/secrets', keys.listSecrets, {
    summary: 'List secrets by name; values are never answered',
    query: PAGE,
    answers: { 200: listOf(keys.SecretAnswer) },
  }),
  inOrganization('PUT', '/secrets/:name', keys.putSecret, {
    summary: 'Seal and store a secret',
    body: keys.SecretBody,
    answers: { 201: null, 204: null },
  }),
  inOrganization('DELETE', '/secrets/:name', keys.deleteSecret, {
    summary: 'Delete a secret',
    answers: { 204: null },
  }),

  inOrganization('GET', '/sessions', sessions.listSessions, {
    summary: 'The sessions of a server',
    query: { ...PAGE, server: 'Id of the server' },
    answers: { 200: listOf(sessions.SessionAnswer) },
  }),
  inOrganization('DELETE', '/sessions/:id', sessions.deleteSession, {
    summary: 'End a session',
    answers: { 204: null },
  }),

  inOrganization('GET', '/calls', calls.listCalls, {
    summary: 'The calls of tools, newest first; 30 days or 10,000 calls, whichever is less',
    query: { ...calls.FILTERS, ...PAGE },
    answers: { 200: listOf(calls.CallAnswer) },
  }),
  inOrganization('DELETE', '/calls', calls.deleteCalls, {
    summary: 'Delete calls from the log; needs a filter',
    query: calls.FILTERS,
    answers: { 200: calls.DeletedAnswer },
  }),

  inOrganization('GET', '/audit', organizations.listAudit, {
    summary: 'Who wrote what, newest first',
    query: PAGE,
    answers: { 200: listOf(organizations.AuditAnswer) },
  }),
]
