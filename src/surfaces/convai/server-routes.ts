/** The routes of server configurations and of what is said of their tools (`convai-api.md` §1, E2–E7, E10–E13). */
import type { Route } from './route.ts'
import * as servers from './servers.ts'
import * as tools from './tool-configs.ts'

const SERVERS = '/v1/convai/mcp-servers'
const SERVER = `${SERVERS}/:mcp_server_id`
const TOOL = `${SERVER}/tool-configs/:tool_name`

const READ = 'servers.read'
const WRITE = 'remote.write'
/** As of any tool: an input that is held constant may be there to bound what members do. */
const WRITE_TOOL = 'tools.write'

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
  {
    method: 'POST',
    path: `${SERVER}/tool-configs`,
    act: WRITE_TOOL,
    handler: tools.createToolConfig,
  },
  { method: 'GET', path: TOOL, act: READ, handler: tools.getToolConfig },
  { method: 'PATCH', path: TOOL, act: WRITE_TOOL, handler: tools.patchToolConfig },
  { method: 'DELETE', path: TOOL, act: WRITE_TOOL, handler: tools.deleteToolConfig },
]
