/** The routes of server configurations, of their tools and of what is said of these (`convai-api.md` §1, E1–E13). */
import type { Route } from './route.ts'
import * as servers from './servers.ts'
import * as approvals from './tool-approvals.ts'
import * as configs from './tool-configs.ts'
import { listTools } from './tools.ts'

const SERVERS = '/v1/convai/mcp-servers'
const SERVER = `${SERVERS}/:mcp_server_id`
const APPROVALS = `${SERVER}/tool-approvals`
const CONFIGS = `${SERVER}/tool-configs`

const READ = 'servers.read'
const WRITE = 'remote.write'
/** As of any tool: an input that is held constant may be there to bound what members do. */
const WRITE_TOOL = 'tools.write'
const APPROVE = 'tools.approve'

export const SERVER_ROUTES: readonly Route[] = [
  { method: 'POST', path: SERVERS, act: WRITE, handler: servers.createConfiguration },
  { method: 'GET', path: SERVERS, act: READ, handler: servers.listConfigurations },
  { method: 'GET', path: SERVER, act: READ, handler: servers.getConfiguration },
  { method: 'PATCH', path: SERVER, act: WRITE, handler: servers.patchConfiguration },
  { method: 'DELETE', path: SERVER, act: WRITE, handler: servers.deleteConfiguration },
  {
    method: 'PATCH',
    path: `${SERVER}/approval-policy`,
    act: WRITE,
    handler: servers.patchApprovalPolicy,
  },

  { method: 'GET', path: `${SERVER}/tools`, act: READ, handler: listTools },
  { method: 'POST', path: APPROVALS, act: APPROVE, handler: approvals.approveTool },
  {
    method: 'DELETE',
    path: `${APPROVALS}/:tool_name`,
    act: APPROVE,
    handler: approvals.withdrawApproval,
  },

  { method: 'POST', path: CONFIGS, act: WRITE_TOOL, handler: configs.createToolConfig },
  { method: 'GET', path: `${CONFIGS}/:tool_name`, act: READ, handler: configs.getToolConfig },
  {
    method: 'PATCH',
    path: `${CONFIGS}/:tool_name`,
    act: WRITE_TOOL,
    handler: configs.patchToolConfig,
  },
  {
    method: 'DELETE',
    path: `${CONFIGS}/:tool_name`,
    act: WRITE_TOOL,
    handler: configs.deleteToolConfig,
  },
]
