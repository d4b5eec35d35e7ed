/**
 * The tools of a configuration: discovered now on its remote server, with what a person said of each
 * (`convai-api.md` §2). What keeps a remote server from being listed is told in a 200, for a person to act on.
 */
import * as z from 'zod'
import { approvalStates, type ToolState } from '../../catalog/approval.ts'
import { EnvironmentName } from '../../catalog/names.ts'
import { approvalPolicyOf } from '../../catalog/server.ts'
import { DEFAULT_ENVIRONMENT } from '../../handlers/variable.ts'
import { upstreamOf } from '../../objects/resident.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { answer, readQuery, type ConvaiCall } from './call.ts'
import { listedTool, type ListedTool } from './listed-tool.ts'
import { readConfiguration } from './servers.ts'

/** Whose values apply: none named, or an empty name, is the default. */
const EnvironmentQuery = z.object({
  environment: z.preprocess(
    (name) => (name === '' ? undefined : name),
    EnvironmentName.default(DEFAULT_ENVIRONMENT),
  ),
})

/** Lists the tools of a configuration (E1). */
export async function listTools(call: ConvaiCall): Promise<Response> {
  const { environment } = readQuery(call, EnvironmentQuery)
  const { id, server } = await readConfiguration(call)
  const policy = approvalPolicyOf(server.settings)
  const [discovered, approvals] = await Promise.all([
    discover(call, server.id, environment),
    policy === 'require_approval_per_tool' ? call.stub.approvals(server.id) : undefined,
  ])
  if ('problem' in discovered) {
    return answer({
      success: false,
      tools: [],
      tool_approval_statuses: [],
      error_message: discovered.problem,
    })
  }
  const { tools } = discovered
  const states = approvals === undefined ? [] : approvalStates(tools, valueOf(approvals))
  return answer({
    success: true,
    tools,
    tool_approval_statuses: states.map((state) => formatState(id, state)),
  })
}

/** The tools that the remote server has now, those that can be none left out and counted in the log. */
async function discover(
  { platform, organization, requestId }: ConvaiCall,
  server: string,
  environment: string,
): Promise<{ tools: ListedTool[] } | { problem: string }> {
  const upstream = upstreamOf(platform.env, server)
  const found = await upstream.discover({ organization, server }, environment)
  if ('problem' in found) return found
  const items = JSON.parse(new TextDecoder().decode(found.tools)) as unknown[]
  const tools = items.map(listedTool).filter((tool) => tool !== undefined)
  const dropped = found.dropped + items.length - tools.length
  if (dropped > 0) console.warn(requestId, `${dropped} tools of ${server} are unfit to be listed`)
  return { tools }
}

function formatState(
  configuration: string,
  { tool, state, policy, approvedDefinition }: ToolState,
): object {
  return {
    tool_id: `mcp:${configuration}:${tool}`,
    state,
    ...(policy !== null && { approval_policy: policy }),
    ...(approvedDefinition !== null && {
      approved_definition: {
        description: approvedDefinition.description,
        input_schema: approvedDefinition.inputSchema,
      },
    }),
  }
}
