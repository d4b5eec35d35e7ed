/** Commands on single tools, and on their order. Each makes one revision of the server. */
import { formatItem, type ItemRecord } from '../../catalog/item.ts'
import { isRemote } from '../../catalog/server.ts'
import { parseTool } from '../../catalog/tool.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { Context, Write } from './context.ts'
import { lastSortOrder, readItem, readItemPage, type ItemName, type Place } from './items.ts'
import { patchRemoteTool, reorderRemoteTools } from './remote-tools.ts'
import { requireRevision, requireServer, writeServer } from './servers.ts'
import { allTools, requireFree, requireTool, withFirst } from './tools.ts'

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
  if (isRemote(requireServer(sql, server).settings)) {
    return patchRemoteTool(context, server, name, patch, write)
  }
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
  const { sql } = context
  if (isRemote(requireServer(sql, server).settings)) {
    return reorderRemoteTools(context, server, names, write)
  }
  const { revision } = change(context, server, 'tools.reorder', write, () => {
    const order = withFirst(allTools(sql, server), names)
    return { put: order.map((tool, sortOrder) => ({ ...tool, sortOrder })), remove: [] }
  })
  return { names: allTools(sql, server).map(({ name }) => name), revision }
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
    if (isRemote(server.settings)) {
      const message = 'The tools come from the remote server; pause one instead'
      throw new HttpError(409, 'remote_tools', message)
    }
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
