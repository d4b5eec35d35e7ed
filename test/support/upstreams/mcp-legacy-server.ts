/**
 * One connection's server of the SDK v1, offering mcp-offer.ts: the low-level one, so that errors go
 * out as they are thrown. What asks the client asks it with requests of its own,
 * if the client said that it can; a tool is `isError` where it did not, anything else an error.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  ResultSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
  type ServerNotification,
  type ServerRequest,
  type ServerResult,
} from '@modelcontextprotocol/sdk/types.js'
import { CAPABILITIES, INSTRUCTIONS, METHODS, type MethodName } from './mcp-offer.ts'
import type { Arguments, Peer, Running, World } from './mcp-world.ts'

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const MAX_ROUNDS = 8

const SCHEMAS = {
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
  'prompts/list': ListPromptsRequestSchema,
  'prompts/get': GetPromptRequestSchema,
  'resources/list': ListResourcesRequestSchema,
  'resources/templates/list': ListResourceTemplatesRequestSchema,
  'resources/read': ReadResourceRequestSchema,
  'completion/complete': CompleteRequestSchema,
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>
type InputRequired = {
  inputRequests?: Record<string, { method: string; params?: object }>
  requestState?: string
}

/** A server that is not connected yet; while it is, the world tells it of changes. */
export function createLegacyServer(world: World): Server {
  const info = { name: 'legacy-upstream', version: '1.0.0' }
  const server = new Server(info, { capabilities: CAPABILITIES, instructions: INSTRUCTIONS })
  const subscribed = new Set<string>()
  let level = 'debug'
  const isLogged = (asked: string) => LEVELS.indexOf(asked) >= LEVELS.indexOf(level)

  for (const [method, schema] of Object.entries(SCHEMAS)) {
    server.setRequestHandler(schema, (request, extra) =>
      answer(method as MethodName, request.params ?? {}, extra),
    )
  }
  const answer = async (
    method: MethodName,
    params: Arguments,
    extra: Extra,
  ): Promise<ServerResult> => {
    const clientCapabilities = server.getClientCapabilities()
    const running = { ...runningOf(extra, isLogged), clientCapabilities }
    let input: Pick<Running, 'inputResponses' | 'requestState'> = {}
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const result = await METHODS[method](params, { ...running, ...input }, world)
      if (!('resultType' in result)) return result
      try {
        input = await ask(result as InputRequired, extra, clientCapabilities)
      } catch (error) {
        if (method !== 'tools/call') throw error
        const text = `The client did not answer: ${String(error)}`
        return { content: [{ type: 'text', text }], isError: true }
      }
    }
    throw new Error('asked too often')
  }
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    level = params.level
    return {}
  })
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  const peer: Peer = {
    toolsChanged: () => server.sendToolListChanged(),
    promptsChanged: () => server.sendPromptListChanged(),
    resourceUpdated: async (uri) => {
      if (subscribed.has(uri)) await server.sendResourceUpdated({ uri })
    },
  }
  world.peers.add(peer)
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it has no other
  server.onclose = () => void world.peers.delete(peer)
  return server
}

/** Asks the client, but for nothing that it has not said it can. */
async function ask(
  { inputRequests = {}, requestState }: InputRequired,
  extra: Extra,
  clientCapabilities: object = {},
) {
  const inputResponses: Record<string, unknown> = {}
  for (const [key, request] of Object.entries(inputRequests)) {
    const [capability = ''] = request.method.split('/')
    if (!(capability in clientCapabilities)) throw new Error(`it has no ${capability}`)
    inputResponses[key] = await extra.sendRequest(request as ServerRequest, ResultSchema)
  }
  return { inputResponses, requestState }
}

function runningOf(extra: Extra, isLogged: (level: string) => boolean): Running {
  const progressToken = extra._meta?.progressToken
  return {
    era: 'legacy',
    signal: extra.signal,
    sessionId: extra.sessionId,
    closeStream: extra.closeSSEStream,
    async progress(step) {
      if (progressToken === undefined) return
      const params = { progressToken, ...step }
      await extra.sendNotification({ method: 'notifications/progress', params })
    },
    async log(level, data) {
      if (!isLogged(level)) return
      const params = { level, logger: 'upstream', data }
      await extra.sendNotification({ method: 'notifications/message', params })
    },
  }
}
