/**
 * What a test holds of an MCP upstream while it runs: its tools, its slow calls, who is to be told.
 *
 * - `addTool(name)`, `removeTool(name)`, `setTool(tool)` change the tools and send `tools/list_changed`.
 * - `changePrompts()` adds the prompt `late` or takes it away, and sends `prompts/list_changed`.
 * - `updateResource(uri)` sends `resources/updated` to those who subscribed to it.
 * - `started`, `cancelled`: the keys of `slow` calls as they begin and as they are cancelled, each once.
 * - `release(key)` lets a slow call finish, begun or not.
 * - `states`: every `requestState` ever given, with what it stands for; another one is refused.
 * - `gate.outage` answers every request with that status, or drops the connection; `gate.bearer` is
 *   the token without which everything is 401.
 */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { createInbox, type Inbox } from '../inbox.ts'
import { drop, sendJson, type SeenRequest } from './recording.ts'

/** What a handler is given beside its arguments, whichever SDK serves it. */
export type Running = {
  era: 'legacy' | 'modern'
  signal: AbortSignal
  /** What the client says that it can: of this request, or of its session. */
  clientCapabilities?: object | undefined
  sessionId?: string | undefined
  /** Sends progress if the caller gave a token. */
  progress(step: { progress: number; total?: number; message?: string }): Promise<void>
  log(level: 'debug' | 'info' | 'warning', data: unknown): Promise<void>
  /** Ends the SSE stream of this request before its answer, where that can be. */
  closeStream?: (() => void) | undefined
  inputResponses?: Readonly<Record<string, unknown>> | undefined
  requestState?: string | undefined
}

// oxlint-disable-next-line typescript/no-explicit-any -- arguments come from the test that sends them
export type Arguments = Readonly<Record<string, any>>

export type OfferedTool = {
  definition: { name: string; inputSchema: object; [member: string]: unknown }
  run(args: Arguments, running: Running, world: World): object | Promise<object>
}

/** One who can be told of changes: a session, or all listeners of a modern handler. */
export type Peer = {
  toolsChanged(): Promise<void>
  promptsChanged(): Promise<void>
  resourceUpdated(uri: string): Promise<void>
}

export type Gate = { outage?: number | 'drop' | undefined; bearer?: string | undefined }

export type World = {
  tools: Map<string, OfferedTool>
  pageSize: number | undefined
  peers: Set<Peer>
  gate: Gate
  started: Inbox<string>
  cancelled: Inbox<string>
  states: Map<string, unknown>
  addTool(name: string): Promise<void>
  removeTool(name: string): Promise<void>
  setTool(tool: OfferedTool): Promise<void>
  hasLatePrompt: boolean
  changePrompts(): Promise<void>
  updateResource(uri: string): Promise<void>
  release(key: string): void
  /** Resolves when a key is released. */
  released(key: string): Promise<void>
  /** A new `requestState` that stands for something. */
  giveState(meaning: unknown): string
}

/** How a method of `methods` is answered. */
export type Method = (params: Arguments, running: Running, world: World) => object | Promise<object>

export type WorldOptions = { pageSize?: number | undefined; bearer?: string | undefined }

/** A prompt that comes and goes. */
export const LATE_PROMPT = { name: 'late', description: 'Came later' }

/** One with these tools. */
export function createWorld(tools: readonly OfferedTool[], options: WorldOptions): World {
  const releases = new Map<string, PromiseWithResolvers<void>>()
  const releaseOf = (key: string) => {
    const release = releases.get(key) ?? Promise.withResolvers<void>()
    releases.set(key, release)
    return release
  }
  const tell = async (telling: (peer: Peer) => Promise<void>) => {
    await Promise.all([...world.peers].map(telling))
  }
  const toolsChanged = () => tell((peer) => peer.toolsChanged())
  const world: World = {
    tools: new Map(tools.map((tool) => [tool.definition.name, tool])),
    pageSize: options.pageSize,
    peers: new Set(),
    gate: { bearer: options.bearer },
    started: createInbox(),
    cancelled: createInbox(),
    states: new Map(),
    addTool: (name) => world.setTool(plainTool(name)),
    removeTool(name) {
      world.tools.delete(name)
      return toolsChanged()
    },
    setTool(tool) {
      world.tools.set(tool.definition.name, tool)
      return toolsChanged()
    },
    hasLatePrompt: false,
    changePrompts() {
      world.hasLatePrompt = !world.hasLatePrompt
      return tell((peer) => peer.promptsChanged())
    },
    updateResource: (uri) => tell((peer) => peer.resourceUpdated(uri)),
    release: (key) => releaseOf(key).resolve(),
    released: (key) => releaseOf(key).promise,
    giveState(meaning) {
      const state = randomUUID()
      world.states.set(state, meaning)
      return state
    },
  }
  return world
}

/** A fault that a handler answers as a JSON-RPC error with this code. */
export class RpcFault extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Whether the gate has answered, so that nobody else shall. */
export function isStopped(gate: Gate, seen: SeenRequest, response: ServerResponse): boolean {
  if (gate.outage === 'drop') drop(response)
  else if (gate.outage !== undefined) sendJson(response, { error: 'down' }, gate.outage)
  else if (gate.bearer !== undefined && seen.headers.authorization !== `Bearer ${gate.bearer}`) {
    sendJson(response, { error: 'unauthorized' }, 401, { 'www-authenticate': 'Bearer' })
  } else return false
  return true
}

function plainTool(name: string): OfferedTool {
  return {
    definition: { name, description: `The tool ${name}`, inputSchema: { type: 'object' } },
    run: () => ({ content: [{ type: 'text', text: `${name} ran` }] }),
  }
}
