/** The static handler: a literal result, with `{argument}` filled in wherever it has text. */
import { INVALID_PARAMS, isObject, RpcError } from '../protocol/json-rpc.ts'
import type { ContentBlock } from '../protocol/content.ts'
import type { CallToolResult } from '../protocol/tool.ts'

const PLACEHOLDER = /\{([^{}]{1,200})\}/g
/** Many placeholders for a long argument make a text far longer than both. */
const MAX_FILLED_LENGTH = 4 * 1024 * 1024
const WHOLE = /^\{([^{}]{1,200})\}$/

/**
 * The result for these arguments. `{name}` stands for an argument where the schema declares it, as
 * text or JSON, and for nothing where it was not given; other braces stay as they are.
 */
export function fillResult(
  result: CallToolResult,
  declared: ReadonlySet<string>,
  args: Readonly<Record<string, unknown>>,
): CallToolResult {
  const fill = (text: string) => fillText(text, declared, args)
  const content = result.content.map((block) => fillBlock(block, fill))
  if (result.structuredContent === undefined) return { ...result, content }
  const structuredContent = fillDeep(result.structuredContent, (text) => {
    // A value that is nothing but a placeholder becomes the argument itself, number or object.
    const name = WHOLE.exec(text)?.[1]
    return name !== undefined && Object.hasOwn(args, name) ? args[name] : fill(text)
  })
  return { ...result, content, structuredContent }
}

/** A text with its placeholders filled. */
export function fillText(
  text: string,
  declared: ReadonlySet<string>,
  args: Readonly<Record<string, unknown>>,
): string {
  let length = text.length
  return text.replaceAll(PLACEHOLDER, (placeholder, name: string) => {
    if (!Object.hasOwn(args, name)) return declared.has(name) ? '' : placeholder
    const argument = formatArgument(args[name])
    length += argument.length
    if (length <= MAX_FILLED_LENGTH) return argument
    throw new RpcError(INVALID_PARAMS, `Invalid params: ${name} is too long for what it fills`)
  })
}

/** A content block with the texts in it filled. */
export function fillBlock(block: ContentBlock, fill: (text: string) => string): ContentBlock {
  if (block.type === 'text') return { ...block, text: fill(block.text) }
  if (block.type === 'resource' && typeof block.resource['text'] === 'string') {
    return { ...block, resource: { ...block.resource, text: fill(block.resource['text']) } }
  }
  return block
}

function fillDeep(value: unknown, fill: (text: string) => unknown): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, fill))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillDeep(item, fill)]))
}

function formatArgument(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
