/** Commands on single tools, and on their order. Each makes one revision of the server. */
import { invalid } from '../../catalog/issues.ts'
import { formatItem, type ItemRecord } from '../../catalog/item.ts'
import { parseTool } from '../../catalog/tool.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { Context, Write } from './context.ts'
import {
  lastSortOrder,
  readItem,
  readItemPage,
  readItems,
  type ItemName,
  type Place,
} from './items.ts'
import { requireRevision, requireServer, writeServer } from './servers.ts'

/** What a page may hold in characters: it crosses RPC, which ends at 32 MiB. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024

export type WrittenTool = { tool: string; revision: number; created: boolean }

/** The current tools in order after a place, as JSON texts, a page of them. */
export function listTools({ sql }: Context, server: string, after: Place, limit: number) {
  const { revision } = requireServer(sql, server)
  const bounds = { items: limit, characters: MAX_PAGE_CHARACTERS }
  const { items, next } = readItemPage(sql, server, 'tools', after, bounds)
  return { tools: items.map((tool) => formatItem(tool)), next, revision }
}

/** One tool as JSON text. */
export function getTool({ sql }: Context, server: string, name: string) {
  const { revision } = requireServer(sql, server)
  return { tool: formatItem(requireTool(sql, server, name)), revision }
}

/** Adds a tool, last where it does not say otherwise. */
export function createTool(context: Context, server: string, tool: ItemRecord, write: Write) {
  return change(context, server, 'tools.create', write, () => {
    requireFree(context.sql, server, tool.name)
    return { put: [placed(context.sql, server, tool)], remove: [] }
  })
}

/** Puts a tool in place of the one of its name, or adds it. */
export function putTool(context: Context, server: string, tool: ItemRecord, write: Write) {
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
    const before: Record<string, unknown> = JSON.parse(formatItem(requireTool(sql, server, name)))
    const members = Object.entries({ ...before, ...patch }).filter(
      ([key]) => !Object.hasOwn(patch, key) || patch[key] !== null,
    )
    const tool = parseTool(Object.fromEntries(members))
    if (tool.name !== name) requireFree(sql, server, tool.name)
    return {
      put: [placed(sql, server, tool)],
      remove: tool.name === name ? [] : [{ kind: 'tools', name }],
    }
  })
}

/** Takes a tool away. */
export function deleteTool(context: Context, server: string, name: string, write: Write) {
  return change(context, server, 'tools.delete', write, () => {
    requireTool(context.sql, server, name)
    return { put: [], remove: [{ kind: 'tools', name }] }
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
    const tools = allTools(context.sql, server)
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    requireNames(names, byName)
    const first = new Set(names)
    const order = [...names, ...tools.map(({ name }) => name).filter((name) => !first.has(name))]
    const put = order.flatMap((name, sortOrder) => {
      const tool = byName.get(name)
      return tool ? [{ ...tool, sortOrder }] : []
    })
    return { put, remove: [] }
  })
  return { names: allTools(context.sql, server).map(({ name }) => name), revision }
}

function requireNames(names: readonly string[], known: ReadonlyMap<string, unknown>): void {
  const seen = new Set<string>()
  const problems = names.flatMap((name, index) => {
    const path = `names[${index}]`
    if (!known.has(name)) return [{ path, message: `"${name}" is no tool of this server` }]
    if (seen.has(name)) return [{ path, message: `"${name}" stands twice` }]
    seen.add(name)
    return []
  })
  if (problems.length > 0) throw invalid(problems)
}

function change(
  context: Context,
  id: string,
  act: string,
  { actor, expected }: Write,
  next: () => { put: readonly ItemRecord[]; remove: readonly ItemName[] },
): WrittenTool {
  const { sql, now } = context
  return context.transact(() => {
    const server = requireServer(sql, id)
    requireRevision(server, expected)
    const items = next()
    // The one tool a change is about; none when it is about all of them.
    const [first, ...others] = items.put
    const put = others.length === 0 ? first?.name : undefined
    const name = put ?? items.remove[0]?.name
    const created = put !== undefined && readItem(sql, id, 'tools', put) === undefined
    const target = name === undefined ? id : `${id}/${name}`
    const { settings } = server
    const revision = writeServer(sql, id, { settings, items }, { actor, act, target }, now)
    const tool = put === undefined ? '' : formatItem(requireTool(sql, id, put))
    return { tool, revision, created: created && items.remove.length === 0 }
  })
}

/** A tool with its place: the one it says, the one it has, or the last. */
function placed(sql: SqlStorage, server: string, tool: ItemRecord): ItemRecord {
  const known = readItem(sql, server, 'tools', tool.name)
  const sortOrder = tool.sortOrder ?? known?.sortOrder ?? lastSortOrder(sql, server, 'tools')
  return { ...tool, sortOrder }
}

function allTools(sql: SqlStorage, server: string): ItemRecord[] {
  return readItems(sql, server).filter(({ kind }) => kind === 'tools')
}

function requireTool(sql: SqlStorage, server: string, name: string): ItemRecord {
  const tool = readItem(sql, server, 'tools', name)
  if (tool === undefined) {
    throw new HttpError(404, 'tool_not_found', `There is no tool "${name}" on this server`)
  }
  return tool
}

function requireFree(sql: SqlStorage, server: string, name: string): void {
  if (readItem(sql, server, 'tools', name) === undefined) return
  throw new HttpError(409, 'tool_name_taken', `There is a tool "${name}" on this server already`)
}
