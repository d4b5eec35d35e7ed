/** Commands on single tools, and on their order. Each makes one revision of the server. */
import { invalid } from '../../catalog/issues.ts'
import { formatTool } from '../../catalog/server-file.ts'
import { parseTool, type ToolRecord } from '../../catalog/tool.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { Context, Write } from './context.ts'
import { requireRevision, requireServer, writeServer } from './servers.ts'
import { lastSortOrder, readTool, readToolPage, readTools } from './tools.ts'

export type WrittenTool = { tool: string; revision: number; created: boolean }

/** The current tools in order, as JSON texts, a page of them. */
export function listTools({ sql }: Context, server: string, from: number, limit: number) {
  const { revision } = requireServer(sql, server)
  const { tools, next } = readToolPage(sql, server, from, limit)
  return { tools: tools.map((tool) => formatTool(tool)), next, revision }
}

/** One tool as JSON text. */
export function getTool({ sql }: Context, server: string, name: string) {
  const { revision } = requireServer(sql, server)
  return { tool: formatTool(requireTool(sql, server, name)), revision }
}

/** Adds a tool, last where it does not say otherwise. */
export function createTool(context: Context, server: string, tool: ToolRecord, write: Write) {
  return change(context, server, 'tools.create', write, () => {
    requireFree(context.sql, server, tool.name)
    return { put: [placed(context.sql, server, tool)], remove: [] }
  })
}

/** Puts a tool in place of the one of its name, or adds it. */
export function putTool(context: Context, server: string, tool: ToolRecord, write: Write) {
  return change(context, server, 'tools.put', write, () => ({
    put: [placed(context.sql, server, tool)],
    remove: [],
  }))
}

/** Changes members of a tool: those given replace, `null` takes one away; `name` renames it. */
export function patchTool(
  context: Context,
  server: string,
  name: string,
  patch: Readonly<Record<string, unknown>>,
  write: Write,
) {
  const { sql } = context
  return change(context, server, 'tools.patch', write, () => {
    const before: Record<string, unknown> = JSON.parse(formatTool(requireTool(sql, server, name)))
    const members = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null)
    const tool = parseTool(Object.fromEntries(members))
    if (tool.name !== name) requireFree(sql, server, tool.name)
    return { put: [placed(sql, server, tool)], remove: tool.name === name ? [] : [name] }
  })
}

/** Takes a tool away. */
export function deleteTool(
  context: Context,
  server: string,
  name: string,
  write: Write,
): WrittenTool {
  return change(context, server, 'tools.delete', write, () => {
    requireTool(context.sql, server, name)
    return { put: [], remove: [name] }
  })
}

/** Puts the named tools first, in that order, and the rest after them in their old order. */
export function reorderTools(
  context: Context,
  server: string,
  names: readonly string[],
  write: Write,
): { names: string[]; revision: number } {
  const { revision } = change(context, server, 'tools.reorder', write, () => {
    const tools = readTools(context.sql, server)
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    const problems = names.flatMap((name, index) => {
      const path = `names[${index}]`
      if (!byName.has(name)) return [{ path, message: `"${name}" is no tool of this server` }]
      return names.indexOf(name) < index ? [{ path, message: `"${name}" stands twice` }] : []
    })
    if (problems.length > 0) throw invalid(problems)
    const first = new Set(names)
    const order = [...names, ...tools.map(({ name }) => name).filter((name) => !first.has(name))]
    const put = order.flatMap((name, sortOrder) => {
      const tool = byName.get(name)
      return tool ? [{ ...tool, sortOrder }] : []
    })
    return { put, remove: [] }
  })
  return { names: readTools(context.sql, server).map(({ name }) => name), revision }
}

function change(
  context: Context,
  id: string,
  act: string,
  { actor, expected }: Write,
  next: () => { put: readonly ToolRecord[]; remove: readonly string[] },
): WrittenTool {
  const { sql, now } = context
  return context.transact(() => {
    const server = requireServer(sql, id)
    requireRevision(server, expected)
    const tools = next()
    // The one tool a change is about; none when it is about all of them.
    const [first, ...others] = tools.put
    const put = others.length === 0 ? first?.name : undefined
    const name = put ?? tools.remove[0]
    const created = put !== undefined && readTool(sql, id, put) === undefined
    const target = name === undefined ? id : `${id}/${name}`
    const revision = writeServer(
      sql,
      id,
      { settings: server.settings, tools },
      { actor, act, target },
      now,
    )
    const tool = put === undefined ? '' : formatTool(requireTool(sql, id, put))
    return { tool, revision, created: created && tools.remove.length === 0 }
  })
}

/** A tool with its place: the one it says, the one it has, or the last. */
function placed(sql: SqlStorage, server: string, tool: ToolRecord): ToolRecord {
  const sortOrder =
    tool.sortOrder ?? readTool(sql, server, tool.name)?.sortOrder ?? lastSortOrder(sql, server)
  return { ...tool, sortOrder }
}

function requireTool(sql: SqlStorage, server: string, name: string): ToolRecord {
  const tool = readTool(sql, server, name)
  if (tool === undefined) {
    throw new HttpError(404, 'tool_not_found', `There is no tool "${name}" on this server`)
  }
  return tool
}

function requireFree(sql: SqlStorage, server: string, name: string): void {
  if (readTool(sql, server, name) === undefined) return
  throw new HttpError(409, 'tool_name_taken', `There is a tool "${name}" on this server already`)
}
