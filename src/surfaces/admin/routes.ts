/**
 * The admin API, a line a route: the router and `GET /openapi.json` are both made from this table,
 * and the schemas it names are those that check requests (`design.md` §8).
 */
import * as z from 'zod'
import { DriftAnswer } from '../../catalog/drift.ts'
import { ServerFile } from '../../catalog/server-file.ts'
import { SettingsPatch } from '../../catalog/server.ts'
import { ToolInput } from '../../catalog/tool.ts'
import { CallToolResult } from '../../protocol/tool.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import * as approvals from './approvals.ts'
import * as calls from './calls.ts'
import * as held from './held.ts'
import * as organizations from './organizations.ts'
import { PEOPLE_ROUTES } from './people-routes.ts'
import * as preview from './preview.ts'
import { inDeployment, inOrganization, listOf, PAGE, type Route } from './route.ts'
import * as servers from './servers.ts'
import * as sessions from './sessions.ts'
import * as tools from './tools.ts'
import { TryBody, tryTool } from './try-tool.ts'
import { VARIABLE_ROUTES } from './variable-routes.ts'

const DRY_RUN = { dryRun: 'true: check it all and answer the server file after it; write nothing' }
const { ServerAnswer } = servers

export const ROUTES: readonly Route[] = [
  inDeployment('GET', '/organizations', organizations.listOrganizations, {
    act: 'organizations.manage',
    summary: 'List organizations',
    query: PAGE,
    answers: { 200: listOf(z.strictObject({ id: z.string(), name: z.string() })) },
  }),
  inDeployment('POST', '/organizations', organizations.createOrganization, {
    act: 'organizations.manage',
    summary: 'Make an organization',
    body: organizations.OrganizationBody,
    answers: { 201: organizations.OrganizationAnswer },
  }),
  inDeployment('GET', '/organizations/:id', organizations.getOrganization, {
    act: 'organizations.manage',
    summary: 'One organization, by id or name',
    answers: { 200: organizations.OrganizationAnswer },
  }),
  inDeployment('PATCH', '/organizations/:id', organizations.patchOrganization, {
    act: 'organizations.manage',
    summary: 'Rename an organization, suspend it or take that back',
    body: organizations.OrganizationPatch,
    answers: { 200: organizations.OrganizationAnswer },
  }),
  inDeployment('DELETE', '/organizations/:id', organizations.deleteOrganization, {
    act: 'organizations.manage',
    summary: 'Delete an organization with all that is its',
    answers: { 204: null },
  }),

  inOrganization('GET', '/servers', servers.listServers, {
    act: 'servers.read',
    summary: 'List servers',
    query: PAGE,
    answers: { 200: listOf(ServerAnswer) },
  }),
  inOrganization('POST', '/servers', servers.createServer, {
    act: 'servers.write',
    summary: 'Make a server from a server file',
    body: ServerFile,
    query: DRY_RUN,
    answers: { 200: ServerFile, 201: ServerAnswer },
  }),
  inOrganization('POST', '/servers/import', servers.importServer, {
    act: 'servers.write',
    summary: 'Make a server from a server file, under a new id and a free slug',
    body: ServerFile,
    answers: { 201: ServerAnswer },
  }),
  inOrganization('GET', '/servers/:id', servers.getServer, {
    act: 'servers.read',
    summary: 'One server',
    answers: { 200: ServerAnswer },
  }),
  inOrganization('PUT', '/servers/:id', servers.putServer, {
    act: 'servers.write',
    summary: 'Apply a server file: make the server, or replace it',
    body: ServerFile,
    query: DRY_RUN,
    answers: { 200: z.union([ServerAnswer, ServerFile]), 201: ServerAnswer },
  }),
  inOrganization('PATCH', '/servers/:id', servers.patchServer, {
    act: 'servers.write',
    summary: 'Change settings; null takes one back to its default',
    body: SettingsPatch,
    answers: { 200: ServerAnswer },
  }),
  inOrganization('DELETE', '/servers/:id', servers.deleteServer, {
    act: 'servers.write',
    summary: 'Delete a server, its tools and keys',
    answers: { 204: null },
  }),
  inOrganization('POST', '/servers/:id/duplicate', servers.duplicateServer, {
    act: 'servers.write',
    summary: 'Copy a server',
    answers: { 201: ServerAnswer },
  }),
  inOrganization('POST', '/servers/:id/refresh', servers.refreshServer, {
    act: 'remote.write',
    summary: 'Read the lists of a remote server now',
    answers: { 200: ServerAnswer },
  }),
  inOrganization('GET', '/servers/:id/export', servers.exportServer, {
    act: 'servers.export',
    summary: 'The server file',
    query: { revision: 'A kept revision; absent: the newest' },
    answers: { 200: ServerFile },
  }),
  inOrganization('GET', '/servers/:id/revisions', servers.listRevisions, {
    act: 'servers.export',
    summary: 'The kept revisions, newest first',
    answers: { 200: listOf(servers.RevisionAnswer) },
  }),
  inOrganization('POST', '/servers/:id/rollback', servers.rollbackServer, {
    act: 'servers.write',
    summary: 'Make a kept revision the newest',
    body: servers.RollbackBody,
    answers: { 200: ServerAnswer },
  }),
  inOrganization('GET', '/servers/:id/preview', preview.previewServer, {
    act: 'servers.read',
    summary: 'What a caller would be listed, and why the rest is withheld',
    query: preview.PREVIEW_QUERY,
    answers: { 200: preview.PreviewAnswer },
  }),

  inOrganization('GET', '/servers/:id/drift', approvals.getDrift, {
    act: 'servers.read',
    summary: 'Where a remote server offers other tools than were approved',
    answers: { 200: DriftAnswer },
  }),
  inOrganization('POST', '/servers/:id/approve', approvals.approveTools, {
    act: 'tools.approve',
    summary: 'Approve tools as they are offered at the revision that was looked at',
    body: approvals.ApproveBody,
    answers: { 200: approvals.ApprovedAnswer },
  }),
  inOrganization('DELETE', '/servers/:id/approvals/:tool', approvals.withdrawApproval, {
    act: 'tools.approve',
    summary: 'Take back the approval of a tool, by its name at the remote server',
    answers: { 204: null },
  }),

  inOrganization('GET', '/servers/:id/tools', tools.listTools, {
    act: 'servers.read',
    summary: 'List tools in order, paused ones too',
    query: PAGE,
    answers: { 200: listOf(ToolInput) },
  }),
  inOrganization('POST', '/servers/:id/tools', tools.createTool, {
    act: 'tools.write',
    summary: 'Add a tool',
    body: ToolInput,
    answers: { 201: ToolInput },
  }),
  inOrganization('POST', '/servers/:id/tools/reorder', tools.reorderTools, {
    act: 'tools.write',
    summary: 'Put the named tools first',
    body: tools.ReorderBody,
    answers: { 200: tools.ReorderAnswer },
  }),
  inOrganization('GET', '/servers/:id/tools/:name', tools.getTool, {
    act: 'servers.read',
    summary: 'One tool',
    answers: { 200: ToolInput },
  }),
  inOrganization('PUT', '/servers/:id/tools/:name', tools.putTool, {
    act: 'tools.write',
    summary: 'Add or replace a tool',
    body: ToolInput,
    answers: { 200: ToolInput, 201: ToolInput },
  }),
  inOrganization('PATCH', '/servers/:id/tools/:name', tools.patchTool, {
    act: 'tools.write',
    summary: 'Change members of a tool, null takes one away; of a remote tool, what it is shown as',
    body: tools.ToolPatch,
    answers: { 200: ToolInput },
  }),
  inOrganization('DELETE', '/servers/:id/tools/:name', tools.deleteTool, {
    act: 'tools.write',
    summary: 'Delete a tool',
    answers: { 204: null },
  }),
  inOrganization('POST', '/servers/:id/tools/:name/call', tryTool, {
    act: 'tools.try',
    summary: 'Try a tool as the operator',
    body: TryBody,
    answers: { 200: CallToolResult },
  }),

  ...PEOPLE_ROUTES,

  ...ACCOUNT_ROUTES,

  ...VARIABLE_ROUTES,

  inOrganization('GET', '/approvals', held.listHeld, {
    act: 'approvals.read',
    summary: 'Calls that are held for a person, newest first; kept for a day',
    query: { ...PAGE, limit: 'At most so many items, 1 to 100', state: held.STATES.join(', ') },
    answers: { 200: listOf(held.HeldAnswer) },
  }),
  inOrganization('POST', '/approvals/:id/approve', held.decideHeld('approved'), {
    act: 'approvals.decide',
    summary: 'Approve a held call: it runs once, when its caller waits for it',
    answers: { 200: held.HeldAnswer },
  }),
  inOrganization('POST', '/approvals/:id/deny', held.decideHeld('denied'), {
    act: 'approvals.decide',
    summary: 'Deny a held call',
    answers: { 200: held.HeldAnswer },
  }),

  inOrganization('GET', '/sessions', sessions.listSessions, {
    act: 'sessions.read',
    summary: 'The sessions of a server',
    query: { ...PAGE, server: 'Id of the server' },
    answers: { 200: listOf(sessions.SessionAnswer) },
  }),
  inOrganization('DELETE', '/sessions/:id', sessions.deleteSession, {
    act: 'sessions.end',
    summary: 'End a session',
    answers: { 204: null },
  }),

  inOrganization('GET', '/calls', calls.listCalls, {
    act: 'calls.read',
    summary: 'The calls of tools, newest first: the last 10,000 of 30 days',
    query: { ...calls.FILTERS, ...PAGE },
    answers: { 200: listOf(calls.CallAnswer) },
  }),
  inOrganization('DELETE', '/calls', calls.deleteCalls, {
    act: 'calls.delete',
    summary: 'Delete calls from the log; needs a filter',
    query: calls.FILTERS,
    answers: { 200: calls.DeletedAnswer },
  }),

  inOrganization('GET', '/audit', organizations.listAudit, {
    act: 'audit.read',
    summary: 'Who wrote what, newest first',
    query: PAGE,
    answers: { 200: listOf(organizations.AuditAnswer) },
  }),
]
