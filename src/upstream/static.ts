/** The static handler: a literal result, with `{argument}` filled in wherever it has text. */
import { INVALID_PARAMS, isObject, RpcError } from '../protocol/json-rpc.ts'
import type { ContentBlock } from '../protocol/content.ts'
import type { CallToolResult } from '../protocol/tool.ts'

const PLACEHOLDER = /\{([^{}]{1,200})\}/g
/** Many placeholders for a long argument make a text far longer than both. */
const MAX_FILLED_LENGTH = 4 * 1024 * 1024
const WHOLE = /^\{([^{}]{1,200})\}$/

/** Fills texts from one set of arguments. */
export type Fill = (text: string) => string

/**
 * A filler: `{name}` stands for a declared argument, as text or JSON, and for nothing where it was not
 * given; other braces stay as they are. All it fills together is bounded, −32602 beyond that.
 */
export function createFill(
  declared: ReadonlySet<string>,
  args: Readonly<Record<string, unknown>>,
): Fill {
  let length = 0
  return (text) =>
    text.replaceAll(PLACEHOLDER, (placeholder, name: string) => {
      if (!declared.has(name)) return placeholder
      if (!Object.hasOwn(args, name)) return ''
      const argument = formatArgument(args[name])
      length += argument.length
      if (length <= MAX_FILLED_LENGTH) return argument
      throw new RpcError(INVALID_PARAMS, `Invalid params: ${name} is too long for what it fills`)
    })
}

/** The result for these arguments. */
export function fillResult(
  result: CallToolResult,
  declared: ReadonlySet<string>,
  args: Readonly<Record<string, unknown>>,
): CallToolResult {
  const fill = createFill(declared, args)
  const content = result.content.map((block) => fillBlock(block, fill))
  if (result.structuredContent === undefined) return { ...result, content }
  const structuredContent = fillDeep(result.structuredContent, (text) => {
    // A value that is nothing but a placeholder becomes the argument itself, number or object.
    const name = WHOLE.exec(text)?.[1] ?? ''
    return declared.has(name) && Object.hasOwn(args, name) ? args[name] : fill(text)
  })
  return { ...result, content, structuredContent }
}

/** A content block with the texts in it filled. */
export function fillBlock(block: ContentBlock, fill: Fill): ContentBlock {
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
