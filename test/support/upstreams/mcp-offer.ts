/**
 * How every MCP upstream of the tests answers a method, whichever SDK carries it.
 *
 * - tools: mcp-tools.ts; lists come in pages if the world has a page size
 * - prompts: `greet {name, style?}` with completion of both; `plain`; `asking`, which asks for a name
 * - resources: `memo://one` (text), `memo://blob` (bytes), `memo://asking`, which asks for a name
 * - template: `memo://notes/{id}` with completion of `id`
 */
import { askFor, NAME_FORM } from './mcp-asking.ts'
import {
  LATE_PROMPT,
  RpcFault,
  type Arguments,
  type Method,
  type Running,
  type World,
} from './mcp-world.ts'

const INVALID_PARAMS = -32602
const RESOURCE_NOT_FOUND = -32002

const PROMPTS = [
  {
    name: 'greet',
    title: 'Greet',
    description: 'Greets somebody',
    arguments: [
      { name: 'name', description: 'Whom', required: true },
      { name: 'style', description: 'How' },
    ],
  },
  { name: 'plain', description: 'Has no arguments' },
  { name: 'asking', description: 'Asks who you are' },
]

const RESOURCES = [
  { uri: 'memo://one', name: 'one', title: 'Memo one', mimeType: 'text/plain' },
  { uri: 'memo://blob', name: 'blob', mimeType: 'application/octet-stream' },
  { uri: 'memo://asking', name: 'asking', mimeType: 'text/plain' },
]

const TEMPLATES = [{ uriTemplate: 'memo://notes/{id}', name: 'notes', mimeType: 'text/plain' }]

const COMPLETIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['greet name', ['Ada', 'Alan', 'Grace']],
  ['greet style', ['formal', 'friendly']],
  ['memo://notes/{id} id', ['1', '2', '10']],
])

/** What the upstreams say they can. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
}

export const INSTRUCTIONS = 'What an upstream says of itself.'

/** The methods both eras have. */
export type MethodName =
  | 'tools/list'
  | 'tools/call'
  | 'prompts/list'
  | 'prompts/get'
  | 'resources/list'
  | 'resources/templates/list'
  | 'resources/read'
  | 'completion/complete'

/** How they are answered. */
export type Methods = Readonly<Record<MethodName, Method>>

/** The answers of the upstreams that offer this. */
export const METHODS: Methods = {
  'tools/list': ({ cursor }, _running, world) => {
    const tools = [...world.tools.values()].map(({ definition }) => definition)
    return page('tools', tools, cursor, world)
  },
  'tools/call': ({ name, arguments: args = {} }, running, world) => {
    const tool = world.tools.get(name)
    if (tool === undefined) throw new RpcFault(INVALID_PARAMS, `Unknown tool: ${name}`)
    return tool.run(args, running, world)
  },
  'prompts/list': ({ cursor }, _running, world) => {
    const late = world.hasLatePrompt ? [LATE_PROMPT] : []
    return page('prompts', [...PROMPTS, ...late], cursor, world)
  },
  'prompts/get': getPrompt,
  'resources/list': ({ cursor }, _running, world) => page('resources', RESOURCES, cursor, world),
  'resources/templates/list': ({ cursor }, _running, world) =>
    page('resourceTemplates', TEMPLATES, cursor, world),
  'resources/read': readResource,
  'completion/complete': ({ ref, argument }) => {
    const known = COMPLETIONS.get(`${ref.name ?? ref.uri} ${argument.name}`) ?? []
    const values = known.filter((value) => value.startsWith(argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  },
}

function page(key: string, items: readonly object[], cursor: string | undefined, world: World) {
  const size = world.pageSize ?? items.length
  const start = cursor === undefined ? 0 : Number(/^from:(\d+)$/.exec(cursor)?.[1] ?? Number.NaN)
  if (!(start <= items.length)) throw new RpcFault(INVALID_PARAMS, `Invalid cursor: ${cursor}`)
  const end = start + size
  return {
    [key]: items.slice(start, end),
    ...(end < items.length && { nextCursor: `from:${end}` }),
  }
}

function getPrompt({ name, arguments: args = {} }: Arguments, running: Running): object {
  const saying = (text: string) => ({
    messages: [{ role: 'user', content: { type: 'text', text } }],
  })
  if (name === 'greet') return saying(`Greet ${args.name}, ${args.style ?? 'plainly'}`)
  if (name === 'plain') return saying('A plain prompt')
  if (name !== 'asking') throw new RpcFault(INVALID_PARAMS, `Unknown prompt: ${name}`)
  const asked = askFor({ who: NAME_FORM }, running)
  return 'ask' in asked ? asked.ask : saying(JSON.stringify(asked.answers))
}

function readResource({ uri }: Arguments, running: Running): object {
  const reading = (content: object) => ({ contents: [{ uri, mimeType: 'text/plain', ...content }] })
  if (uri === 'memo://one') return reading({ text: 'the first memo' })
  if (uri === 'memo://blob') {
    return reading({ mimeType: 'application/octet-stream', blob: 'AAEC/w==' })
  }
  if (uri === 'memo://asking') {
    const asked = askFor({ who: NAME_FORM }, running)
    return 'ask' in asked ? asked.ask : reading({ text: JSON.stringify(asked.answers) })
  }
  const [, id] = /^memo:\/\/notes\/([^/]+)$/.exec(uri) ?? []
  if (id !== undefined) return reading({ text: `note ${decodeURIComponent(id)}` })
  const code = running.era === 'legacy' ? RESOURCE_NOT_FOUND : INVALID_PARAMS
  throw new RpcFault(code, 'Resource not found', { uri })
}
