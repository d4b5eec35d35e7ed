/** The tools of a server as commands find them, or the refusal where they do not. */
import { invalid } from '../../catalog/issues.ts'
import type { ItemRecord } from '../../catalog/item.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { readItem, readItems } from './items.ts'

/** The tools of a server in order. */
export function allTools(sql: SqlStorage, server: string): ItemRecord[] {
  return readItems(sql, server).filter(({ kind }) => kind === 'tools')
}

/** Tools with their definitions as JSON text, whose names a caller may see or not. */
export function formatOffered(tools: readonly ItemRecord[]): string {
  const texts = tools.map(({ name, status, definition }) => {
    const head = JSON.stringify({ name, status })
    return `${head.slice(0, -1)},"definition":${definition}}`
  })
  return `[${texts.join(',')}]`
}

/** A tool that is there; 404 otherwise. */
export function requireTool(sql: SqlStorage, server: string, name: string): ItemRecord {
  const tool = readItem(sql, server, 'tools', name)
  if (tool === undefined) {
    throw new HttpError(404, 'tool_not_found', `There is no tool "${name}" on this server`)
  }
  return tool
}

/** Throws 409 where a tool has the name. */
export function requireFree(sql: SqlStorage, server: string, name: string): void {
  if (readItem(sql, server, 'tools', name) === undefined) return
  throw new HttpError(409, 'tool_name_taken', `There is a tool "${name}" on this server already`)
}

/** The tools of a server with the named ones first, in that order; 422 for a name that is none of them. */
export function withFirst(tools: readonly ItemRecord[], names: readonly string[]): ItemRecord[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  requireNames(names, byName)
  const first = new Set(names)
  const order = [...names, ...tools.map(({ name }) => name).filter((name) => !first.has(name))]
  return order.flatMap((name) => byName.get(name) ?? [])
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
