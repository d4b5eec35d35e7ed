/** One request to convai: what its handler is given, and how it reads and answers. */
import * as z from 'zod'
import { writerOf } from '../../callers/may.ts'
import { findLossyNumbers } from '../../catalog/lossy-numbers.ts'
import { readBytes } from '../../protocol/body.ts'
import { decodeUtf8 } from '../../protocol/bytes.ts'
import { isJson } from '../../protocol/headers.ts'
import { isDeeperThan, MAX_DEPTH } from '../../protocol/json-depth.ts'
import type { Acting } from '../acting.ts'
import { Unprocessable, wrongIn, wrongOf, type Wrong } from './wrong.ts'

const MAX_BODY_BYTES = 4 * 1024 * 1024

export type ConvaiCall = Acting & {
  request: Request
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** What the answer is told by, in `x-request-id`. */
  requestId: string
}

/** A parameter of the path. */
export function param({ params }: Pick<ConvaiCall, 'params'>, name: string): string {
  return params[name] ?? ''
}

/** Who writes. */
export function writeOf({ actor }: Pick<ConvaiCall, 'actor'>): ReturnType<typeof writerOf> {
  return writerOf(actor)
}

/** The JSON body, checked by a schema: 413, or 422 with each wrong field. */
export async function readBody<T>(
  { request }: Pick<ConvaiCall, 'request'>,
  schema: z.ZodType<T>,
): Promise<T> {
  const bytes = await readBytes(request, MAX_BODY_BYTES)
  const body = (type: string, msg: string) => new Unprocessable([{ type, loc: ['body'], msg }])
  if (bytes.length === 0) throw body('missing', 'Field required')
  const contentType = request.headers.get('content-type')
  if (contentType !== null && !isJson(contentType)) {
    throw body('value_error', 'Value error, Content-Type must be application/json')
  }
  const text = decodeUtf8(bytes)
  const value = text === undefined ? undefined : parse(text)
  if (text === undefined || value === undefined) throw body('json_invalid', 'JSON decode error')
  if (isDeeperThan(value, MAX_DEPTH)) {
    throw body('value_error', `Value error, the body nests deeper than ${MAX_DEPTH}`)
  }
  const lossy = findLossyNumbers(text)
  if (lossy.length > 0) throw new Unprocessable(wrongOf(lossy, 'body'))
  return requireValid(schema, value, ['body'])
}

/** The parameters of the query, checked by a schema; of one that is there twice, the last. */
export function readQuery<T>({ query }: Pick<ConvaiCall, 'query'>, schema: z.ZodType<T>): T {
  return requireValid(schema, Object.fromEntries(query), ['query'])
}

/** Checks a value, or throws 422 with each wrong field below `at`. */
export function requireValid<T>(schema: z.ZodType<T>, value: unknown, at: Wrong['loc']): T {
  const checked = schema.safeParse(value, { reportInput: true })
  if (checked.success) return checked.data
  throw new Unprocessable(wrongIn(checked.error, at))
}

/** A JSON answer. */
export function answer(value: unknown): Response {
  return Response.json(value, { headers: { 'Cache-Control': 'no-store' } })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // which no JSON is
  }
}
