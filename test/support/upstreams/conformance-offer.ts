/**
 * What the official conformance suite asks of a server, as methods over a world: the data that Rollcall
 * serves in test/conformance/everything.json, with its steps and placeholders, and a prompt that asks.
 */
import { setTimeout as pause } from 'node:timers/promises'
import everything from '../../conformance/everything.json' with { type: 'json' }
import { askFor } from './mcp-asking.ts'
import { CONFORMANCE_PROMPT, CONTEXT_FORM } from './conformance-asking.ts'
import { METHODS, type Methods } from './mcp-offer.ts'
import {
  LATE_PROMPT,
  RpcFault,
  type Arguments,
  type OfferedTool,
  type Running,
} from './mcp-world.ts'

const INVALID_PARAMS = -32602
const RESOURCE_NOT_FOUND = -32002
const MISSING_CAPABILITY = -32021

type Step = {
  log?: { level: 'info'; data: unknown }
  waitMs?: number
  progress?: Parameters<Running['progress']>[0]
}
type StaticTool = OfferedTool['definition'] & {
  requires?: Readonly<Record<string, object>>
  handler: { steps?: readonly Step[]; result: object }
}

/** The tools that are data. */
export const DATA_TOOLS: readonly OfferedTool[] = (
  everything.tools as unknown as readonly StaticTool[]
).map(({ handler, requires = {}, ...definition }) => ({
  definition,
  async run(args, running) {
    const can = running.clientCapabilities ?? {}
    if (Object.keys(requires).some((name) => !(name in can))) {
      throw new RpcFault(MISSING_CAPABILITY, 'Missing client capability', {
        requiredCapabilities: requires,
      })
    }
    for (const step of handler.steps ?? []) {
      if (step.log !== undefined) await running.log(step.log.level, step.log.data)
      if (step.progress !== undefined) await running.progress(step.progress)
      if (step.waitMs !== undefined) await pause(step.waitMs)
    }
    return filled(handler.result, args)
  },
}))

const { prompts, resources, resourceTemplates } = everything

/** The methods, over a world with those tools. */
export const CONFORMANCE_METHODS: Methods = {
  ...METHODS,
  'prompts/list': (_params, _running, world) => ({
    prompts: [
      ...(world.hasLatePrompt ? [LATE_PROMPT] : []),
      ...prompts.map(({ messages: _messages, completions: _completions, ...prompt }) => prompt),
      CONFORMANCE_PROMPT,
    ],
  }),
  'prompts/get': ({ name, arguments: args = {} }, running) => {
    if (name === CONFORMANCE_PROMPT.name) {
      const asked = askFor({ user_context: CONTEXT_FORM }, running)
      return 'ask' in asked ? asked.ask : saying(JSON.stringify(asked.answers))
    }
    const prompt = prompts.find((one) => one.name === name)
    if (prompt === undefined) throw new RpcFault(INVALID_PARAMS, `Unknown prompt: ${name}`)
    return filled({ messages: prompt.messages }, args)
  },
  'resources/list': () => ({
    resources: resources.map(({ text: _text, blob: _blob, ...resource }) => resource),
  }),
  'resources/templates/list': () => ({
    resourceTemplates: resourceTemplates.map(
      ({ text: _text, completions: _completions, ...template }) => template,
    ),
  }),
  'resources/read': ({ uri }, running) => {
    const resource = resources.find((one) => one.uri === uri)
    if (resource !== undefined) {
      const { mimeType, text, blob } = resource
      return { contents: [{ uri, mimeType, ...(blob === undefined ? { text } : { blob }) }] }
    }
    for (const { uriTemplate, mimeType, text } of resourceTemplates) {
      const found = new RegExp(`^${uriTemplate.replace('{id}', '([^/]+)')}$`).exec(uri)
      if (found !== null) {
        return { contents: [{ uri, mimeType, text: text.replaceAll('{id}', found[1] ?? '') }] }
      }
    }
    const code = running.era === 'legacy' ? RESOURCE_NOT_FOUND : INVALID_PARAMS
    throw new RpcFault(code, 'Resource not found', { uri })
  },
  'completion/complete': ({ ref, argument }) => {
    const one =
      prompts.find(({ name }) => name === ref.name) ??
      resourceTemplates.find(({ uriTemplate }) => uriTemplate === ref.uri)
    const completions = Object(one).completions as Record<string, string[]> | undefined
    const known = completions?.[argument.name] ?? []
    const values = known.filter((value) => value.startsWith(argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  },
}

function saying(text: string): object {
  return { messages: [{ role: 'user', content: { type: 'text', text } }] }
}

/** The value with every `{argument}` that was given filled in. */
function filled(value: object, args: Arguments): object {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) =>
    typeof item === 'string'
      ? item.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(args[name] ?? whole))
      : item,
  ) as object
}
