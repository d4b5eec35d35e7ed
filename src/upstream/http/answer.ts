/**
 * The result of a call, from what the API answered: by its status, its media type and the shape the
 * handler asks for. Secrets are taken out of every text in it.
 */
import { DEFAULT_MAX_RESPONSE_BYTES, type ResponseShape } from '../../handlers/http.ts'
import { essenceOf } from '../../protocol/headers.ts'
import { encodeBase64 } from '../../protocol/bytes.ts'
import { isDeeperThan, MAX_DEPTH } from '../../protocol/json-depth.ts'
import type { CallToolResult } from '../../protocol/tool.ts'
import { findViolations } from '../arguments.ts'
import { readBounded, readText, type BoundedBody, type BoundedText } from '../bounded-body.ts'
import type { OpenedSecrets } from '../opened-secrets.ts'
import { CallFailed, keyOf, type HttpCall, type HttpOutcome } from './call.ts'
import { fillText, keep } from './shape.ts'

/** What is read of an answer that is an error. */
export const MAX_ERROR_BYTES = 16 * 1024
const MAX_EXCERPT_LENGTH = 1000
const MAX_LISTED_HEADERS_LENGTH = 10_000
const NO_SHAPE: ResponseShape = {}

/** What an answer holds: an image or a sound as bytes, all else as text. */
export type Content = BoundedBody | BoundedText

/** What an answer holds, up to the size that the tool may take. */
export function readContent({ handler }: HttpCall, response: Response): Promise<Content> {
  const limit = limitOf(handler)
  const isMedia = /^(?:image|audio)\//.test(essenceOf(response.headers.get('content-type')))
  return isMedia ? readBounded(response, limit) : readText(response, limit)
}

/** The outcome of an answer that is no error; a failure where it is not what the tool wants. */
export function outcomeOf(
  call: HttpCall,
  response: Response,
  content: Content,
  secrets: OpenedSecrets,
): HttpOutcome {
  const log = { status: response.status, bytes: content.size }
  if (content.isCut) {
    const limit = limitOf(call.handler)
    return failed(`The answer is over ${limit} bytes, more than this tool may take`, log)
  }
  try {
    return { result: checked(call, resultOf(call, response, content, secrets)), ...log }
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error
    return failed(secrets.redactError(error.message), log)
  }
}

/** The outcome of an answer that is an error: its status, and an excerpt of what it says. */
export function outcomeOfError(
  { status }: Response,
  { text: answered, size, isCut }: BoundedText,
  secrets: OpenedSecrets,
): HttpOutcome {
  const whole = plainText(answered, secrets)
  // Where the answer was cut, a secret may have been: its first half is none we know.
  const text = isCut ? whole.slice(0, Math.max(0, whole.length - secrets.longest)) : whole
  const excerpt = text.slice(0, MAX_EXCERPT_LENGTH).toWellFormed()
  const said = excerpt === '' ? '' : `: ${excerpt}`
  return failed(`The API answered ${status}${said}`, { status, bytes: size })
}

/** A failure as a result that says so, and the same for the log. */
export function failed(
  problem: string,
  log: { status?: number; bytes?: number } = {},
): HttpOutcome {
  const { status, bytes } = log
  return {
    result: { content: [{ type: 'text', text: problem }], isError: true },
    status,
    bytes,
    problem,
  }
}

function limitOf({ maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES }: HttpCall['handler']): number {
  return maxResponseBytes
}

function resultOf(
  { handler, outputSchema }: HttpCall,
  response: Response,
  content: Content,
  secrets: OpenedSecrets,
): CallToolResult {
  const essence = essenceOf(response.headers.get('content-type'))
  if (handler.method === 'HEAD') return textResult(secrets.redact(listHeaders(response)))
  if (content.size === 0) return textResult(`The API answered ${response.status} without content`)
  if ('bytes' in content) {
    const { bytes } = content
    const said = `${essence} ${secrets.longest === 0 ? '' : new TextDecoder().decode(bytes)}`
    if (secrets.redact(said) !== said) throw new CallFailed('The answer repeats a secret')
    const type = essence.startsWith('image/') ? 'image' : 'audio'
    return { content: [{ type, data: encodeBase64(bytes), mimeType: essence }] }
  }
  const { text } = content
  const { response: shape = NO_SHAPE } = handler
  const isShaped = shape !== NO_SHAPE || outputSchema !== undefined
  // What nothing is made of is given as it came, broken JSON too: the call was made, and may have acted.
  if (!isShaped && secrets.areMissingIn(text)) return textResult(text)
  const isJson = /^application\/(?:.+\+)?json$/.test(essence)
  if (!isJson && !isShaped) return textResult(secrets.redact(text))
  const parsed = requireJson(text, isJson ? undefined : essence)
  if (isDeeperThan(parsed, MAX_DEPTH)) {
    throw new CallFailed(`The answer nests deeper than ${MAX_DEPTH} levels`)
  }
  const clean = secrets.redactDeep(parsed)
  const kept = keep(clean, shape)
  // What is given whole is given as it came, so that no long number loses its last digits.
  const whole = kept === parsed ? text : JSON.stringify(kept)
  const made = shape.text === undefined ? whole : fillText(shape.text, kept)
  return {
    ...textResult(secrets.redact(made)),
    ...(outputSchema !== undefined && { structuredContent: kept }),
  }
}

/** The result, where it has what the tool promises. */
function checked(call: HttpCall, result: CallToolResult): CallToolResult {
  const { outputSchema, tool } = call
  if (outputSchema === undefined) return result
  if (result.structuredContent === undefined) {
    throw new CallFailed(`The answer has no JSON, and ${tool} promises structured content`)
  }
  const problems = findViolations(`${keyOf(call)} output`, outputSchema, result.structuredContent)
  if (problems.length === 0) return result
  throw new CallFailed(`The result of ${tool} is not what it promises:\n${problems.join('\n')}`)
}

function requireJson(text: string, otherType: string | undefined): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const what =
      otherType === undefined ? 'is broken JSON' : `is no JSON but ${otherType || 'untyped'}`
    throw new CallFailed(`The answer ${what}`)
  }
}

function listHeaders({ status, headers }: Response): string {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`)
  return [`HTTP ${status}`, ...lines].join('\n').slice(0, MAX_LISTED_HEADERS_LENGTH).toWellFormed()
}

/** A text of an error as a person may read it: no secrets, tags, controls or runs of blanks. */
function plainText(text: string, secrets: OpenedSecrets): string {
  const bare = unescaped(text, secrets)
    .replaceAll(/<(script|style)\b[^]*?(?:<\/\1>|$)/gi, ' ')
    .replaceAll(/<[/!a-z][^<>]*>/gi, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return secrets.redactError(bare)
}

/** JSON without secrets that hide in its escapes; other text without those that stand in it. */
function unescaped(text: string, secrets: OpenedSecrets): string {
  if (/^\s*[[{"]/.test(text)) {
    try {
      const value: unknown = JSON.parse(text)
      if (!isDeeperThan(value, MAX_DEPTH)) return JSON.stringify(secrets.redactDeep(value))
    } catch {
      // No JSON, though it begins like it.
    }
  }
  return secrets.redactError(text)
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] }
}
