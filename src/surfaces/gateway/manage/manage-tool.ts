/** A `manage__*` tool: its MCP object, and what it does with the caller's rights (`surfaces.md` D13). */
import type { OwnTool } from '../../../catalog/gateway.ts'
import type { Organization } from '../../../objects/organization.ts'
import type { CallToolResult } from '../../../protocol/tool.ts'
import type { Site } from '../site.ts'

/** A call whose arguments fit the tool's input schema. */
export type ManageCall = {
  site: Site
  args: Readonly<Record<string, unknown>>
  /** The caller's organization. */
  stub: DurableObjectStub<Organization>
}

export type ManageTool = OwnTool & { run: (call: ManageCall) => Promise<CallToolResult> }

/** A result that is an object: as structure, and as text for whoever reads that alone. */
export function structuredResult(
  structuredContent: Readonly<Record<string, unknown>>,
  text: unknown = structuredContent,
): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(text) }], structuredContent }
}
