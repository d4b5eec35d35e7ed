/**
 * The server file: one server with its tools as JSON. It is what `PUT` applies, export writes,
 * import reads, and the samples are. The array's order is the sort order where none is given.
 */
import * as z from 'zod'
import type { Detail } from '../protocol/http-error.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { detailsOf, invalid } from './issues.ts'
import { ServerId, slugify } from './names.ts'
import { ServerSettings } from './server.ts'
import { readTool, ToolInput, type ToolRecord } from './tool.ts'

export const MAX_TOOLS = 20_000

export const ServerFile = z.strictObject({
  id: ServerId.optional(),
  ...ServerSettings.shape,
  slug: ServerSettings.shape.slug
    .optional()
    .meta({ description: 'Made from the name where absent' }),
  tools: z.array(ToolInput).max(MAX_TOOLS).default([]),
})

/** All but the tools, which are read one by one: a file of 10,000 must not be checked twice. */
const Frame = ServerFile.extend({ tools: z.array(z.unknown()).max(MAX_TOOLS).default([]) })

export type ParsedServerFile = {
  id: string | undefined
  settings: ServerSettings
  /** Whether the slug was made from the name: one that is taken is then changed, not refused. */
  slugIsDerived: boolean
  tools: ToolRecord[]
}

/** Reads a server file, or throws 422 naming every wrong field at once. */
export function parseServerFile(value: unknown): ParsedServerFile {
  const frame = Frame.safeParse(value)
  const details = frame.success ? [] : detailsOf(frame.error)
  const records: ToolRecord[] = []
  const names = new Set<string>()
  const tools = isObject(value) && Array.isArray(value['tools']) ? value['tools'] : []
  for (const [index, tool] of tools.slice(0, MAX_TOOLS).entries()) {
    const at = `tools[${index}]`
    const read = readTool(tool, at)
    details.push(...read.details)
    if (read.record === undefined) continue
    const { name } = read.record
    if (names.has(name)) details.push(duplicate(at, name))
    names.add(name)
    records.push({ ...read.record, sortOrder: read.record.sortOrder ?? index })
  }
  if (!frame.success || details.length > 0) throw invalid(details)
  const { id, tools: _, slug, ...settings } = frame.data
  return {
    id,
    settings: { ...settings, slug: slug ?? slugify(settings.name) },
    slugIsDerived: slug === undefined,
    tools: records,
  }
}

function duplicate(at: string, name: string): Detail {
  return { path: `${at}.name`, message: `"${name}" stands twice` }
}

/** The text of a server file, from what is stored; tools in sort order. */
export function formatServerFile(
  id: string,
  settings: ServerSettings,
  tools: readonly ToolRecord[],
): string {
  const head = JSON.stringify({ id, ...settings })
  const items = tools.map((tool, index) => formatTool(tool, tool.sortOrder === index))
  return `${head.slice(0, -1)},"tools":[${items.join(',')}]}`
}

/** The text of one tool with our members after MCP's; `sortOrder` left out where order tells it. */
export function formatTool(tool: ToolRecord, orderTells = false): string {
  const ours = JSON.stringify({
    status: tool.status,
    ...(!orderTells && { sortOrder: tool.sortOrder }),
  })
  return `${tool.definition.slice(0, -1)},${ours.slice(1, -1)},${tool.binding.slice(1)}`
}
