/** `prompts/get`: a prompt's messages with the arguments filled in. */
import { Prompt, PromptBinding } from '../catalog/prompt.ts'
import { INVALID_PARAMS, isObject, RpcError } from '../protocol/json-rpc.ts'
import { createFill, fillBlock } from '../upstream/static.ts'
import { complete, type Exchange, type Result } from './exchange.ts'
import { projectBlock } from './project-result.ts'

/** The messages of a prompt; −32602 for an unknown one, or for arguments that do not fit it. */
export function promptsGet(exchange: Exchange): Result {
  const { catalog, params, revision } = exchange
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string') throw bad('a prompt name is required')
  if (!isObject(args)) throw bad('arguments must be an object')
  const item = catalog.find('prompts', name)
  if (item === undefined) throw new RpcError(INVALID_PARAMS, `Prompt not found: ${name}`)
  const prompt = Prompt.parse(catalog.definition(item))
  const { messages } = PromptBinding.parse(catalog.binding(item))
  for (const [argument, value] of Object.entries(args)) {
    if (typeof value !== 'string') throw bad(`argument ${argument} must be a string`)
  }
  const declared = prompt.arguments ?? []
  for (const argument of declared) {
    const isMissing = argument.required === true && !Object.hasOwn(args, argument.name)
    if (isMissing) throw bad(`argument ${argument.name} is required`)
  }
  const names = new Set(declared.map((argument) => argument.name))
  const fill = createFill(names, args)
  return {
    ...(prompt.description !== undefined && { description: prompt.description }),
    messages: messages.map((message) => ({
      ...message,
      content: projectBlock(fillBlock(message.content, fill), revision),
    })),
    ...complete(exchange),
  }
}

function bad(problem: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Invalid params: ${problem}`)
}
