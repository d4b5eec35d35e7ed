/**
 * What each write makes of a server, told once more in a few lines and without a database: the
 * measure that Rollcall is held to.
 */

export type Settings = {
  name: string
  slug: string
  /** The mark of the write that last touched the settings. */
  description: string
  status: 'active' | 'paused' | 'draft'
  auth: 'none' | 'key'
  vanity: boolean
}

/** A tool; `description` has the mark of the write that last touched it. */
export type ToolState = {
  name: string
  description: string
  status: 'active' | 'paused'
  sortOrder: number
}

/** A server with its tools in order; undefined stands for one that is not there. */
export type ServerState = { settings: Settings; tools: readonly ToolState[] } | undefined

/** The states that can be rolled back to, by revision. */
export type Past = ReadonlyMap<number, ServerState>

/** A write that Rollcall refuses with 4xx, as things stand. */
export const REFUSED = Symbol('refused')

export type Effect = (before: ServerState, past: Past) => ServerState | typeof REFUSED

export function isSame(a: ServerState | typeof REFUSED, b: ServerState | typeof REFUSED): boolean {
  return a === b || (a !== REFUSED && b !== REFUSED && JSON.stringify(a) === JSON.stringify(b))
}

export const put =
  (settings: Settings, tools: readonly Omit<ToolState, 'sortOrder'>[]): Effect =>
  () => ({ settings, tools: tools.map((tool, sortOrder) => ({ ...tool, sortOrder })) })

export const create =
  (settings: Settings, tools: readonly Omit<ToolState, 'sortOrder'>[]): Effect =>
  (before, past) =>
    before === undefined ? put(settings, tools)(before, past) : REFUSED

export const patch =
  (members: Partial<Settings>): Effect =>
  (before) =>
    before === undefined ? REFUSED : { ...before, settings: { ...before.settings, ...members } }

export const remove: Effect = (before) => (before === undefined ? REFUSED : undefined)

export const rollback =
  (to: number): Effect =>
  (before, past) =>
    before === undefined ? REFUSED : (past.get(to) ?? REFUSED)

export const createTool =
  (name: string, description: string): Effect =>
  (before, past) =>
    findTool(before, name) ? REFUSED : putTool(name, description)(before, past)

export const putTool =
  (name: string, description: string): Effect =>
  (before) => {
    if (before === undefined) return REFUSED
    const last = before.tools.at(-1)
    const sortOrder = findTool(before, name)?.sortOrder ?? (last ? last.sortOrder + 1 : 0)
    return withTools(before, name, [{ name, description, status: 'active', sortOrder }])
  }

export const patchTool =
  (name: string, members: Partial<ToolState>): Effect =>
  (before) => {
    const tool = findTool(before, name)
    if (before === undefined || tool === undefined) return REFUSED
    const next = { ...tool, ...members }
    if (next.name !== name && findTool(before, next.name)) return REFUSED
    return withTools(before, name, [next])
  }

export const removeTool =
  (name: string): Effect =>
  (before) =>
    before === undefined || !findTool(before, name) ? REFUSED : withTools(before, name, [])

export const reorder =
  (names: readonly string[]): Effect =>
  (before) => {
    if (before === undefined || names.some((name) => !findTool(before, name))) return REFUSED
    const first = names.flatMap((name) => findTool(before, name) ?? [])
    const rest = before.tools.filter(({ name }) => !names.includes(name))
    const tools = [...first, ...rest].map((tool, sortOrder) => ({ ...tool, sortOrder }))
    return { ...before, tools }
  }

/** A server file, as export writes it, as a state. */
export function readFile(file: Record<string, never> & { tools: ToolState[] }): ServerState {
  const { name, slug, description, status, auth, vanity } = file as never as Settings
  return {
    settings: { name, slug, description, status, auth, vanity },
    tools: file.tools.map((tool, index) => ({
      name: tool.name,
      description: tool.description,
      status: tool.status,
      sortOrder: tool.sortOrder ?? index,
    })),
  }
}

function findTool(server: ServerState, name: string): ToolState | undefined {
  return server?.tools.find((tool) => tool.name === name)
}

function withTools(server: NonNullable<ServerState>, name: string, tools: readonly ToolState[]) {
  const others = server.tools.filter((tool) => tool.name !== name)
  return { ...server, tools: [...others, ...tools].sort((a, b) => a.sortOrder - b.sortOrder) }
}
