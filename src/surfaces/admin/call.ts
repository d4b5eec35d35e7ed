/** One request to the admin API: what its handler is given, and how it reads and answers. */
import * as z from 'zod'
import { requireValid, invalid } from '../../catalog/issues.ts'
import { findLossyNumbers } from '../../catalog/lossy-numbers.ts'
import { writerOf } from '../../callers/may.ts'
import { readBytes } from '../../protocol/body.ts'
import { decodeUtf8 } from '../../protocol/bytes.ts'
import { isJson } from '../../protocol/headers.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { Acting } from '../acting.ts'
import { formatCursor, parseCursor } from '../list-cursor.ts'

const MAX_BODY_BYTES = 32 * 1024 * 1024 // an RPC to an object carries as much
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000

export type AdminCall = Acting & {
  request: Request
  params: Readonly<Record<string, string>>
  query: URLSearchParams
}

/** The JSON body: 415, 413, 400 and 422 each for what it is wrong with. */
export async function readBody({ request }: Pick<AdminCall, 'request'>): Promise<unknown> {
  if (!isJson(request.headers.get('content-type'))) {
    throw new HttpError(415, 'unsupported_media_type', 'Content-Type must be application/json')
  }
  const text = decodeUtf8(await readBytes(request, MAX_BODY_BYTES))
  if (text === undefined) throw new HttpError(400, 'invalid_json', 'The body is not UTF-8')
  const value = parse(text)
  const lossy = findLossyNumbers(text)
  if (lossy.length > 0) throw invalid(lossy)
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HttpError(400, 'invalid_json', 'The body is not JSON')
  }
}

/** The body, checked by a schema. */
export async function readValid<T>(
  call: Pick<AdminCall, 'request'>,
  schema: z.ZodType<T>,
): Promise<T> {
  return requireValid(schema, await readBody(call))
}

/** A parameter of the path. */
export function param({ params }: AdminCall, name: string): string {
  return params[name] ?? ''
}

/** Who writes, and the revision that `If-Match` names. */
export function writeOf({ request, actor: who }: Pick<AdminCall, 'request' | 'actor'>): {
  actor: string
  decides: boolean
  expected: number | undefined
} {
  const writer = writerOf(who)
  const header = request.headers.get('if-match')
  if (header === null || header === '*') return { ...writer, expected: undefined }
  const revision = /^"(\d{1,15})"$/.exec(header.trim())?.[1]
  if (revision === undefined) {
    throw new HttpError(400, 'invalid_if_match', 'If-Match must be a quoted revision, such as "7"')
  }
  return { ...writer, expected: Number(revision) }
}

/** Whether a write is only to be checked: `?dryRun=true`. */
export function isDryRun({ query }: Pick<AdminCall, 'query'>): boolean {
  const text = query.get('dryRun') ?? 'false'
  return requireValid(z.enum(['true', 'false']), text, 'dryRun') === 'true'
}

/** How many items a list is asked for. */
export function limitOf({ query }: Pick<AdminCall, 'query'>): number {
  const text = query.get('limit')
  if (text === null) return DEFAULT_LIMIT
  const limit = z.coerce.number().int().min(1).max(MAX_LIMIT)
  return requireValid(limit, text, 'limit')
}

/** Where a list goes on: what `nextCursor` of this same list says, or '' for the beginning. */
export function cursorOf({ query, request }: Pick<AdminCall, 'query' | 'request'>): string {
  const cursor = query.get('cursor')
  if (cursor === null) return ''
  const key = parseCursor(pathOf(request), cursor)
  if (key === undefined) throw invalid([{ path: 'cursor', message: 'is not one of ours' }])
  return key
}

/** The text of a page: items that are JSON texts, and the cursor of the next page. */
export function formatPage(
  { request }: Pick<AdminCall, 'request'>,
  items: readonly string[],
  next: string | number | undefined,
): string {
  const cursor = next === undefined ? '' : `,"nextCursor":"${formatCursor(pathOf(request), next)}"`
  return `{"items":[${items.join(',')}]${cursor}}`
}

/** A page of records, of which one more than the limit was read. */
export function pageOf<T>(
  call: Pick<AdminCall, 'request'>,
  records: readonly T[],
  limit: number,
  keyOf: (record: T) => string | number,
) {
  const items = records.slice(0, limit)
  const last = items.at(-1)
  const next = records.length > limit && last !== undefined ? keyOf(last) : undefined
  return json(
    formatPage(
      call,
      items.map((item) => JSON.stringify(item)),
      next,
    ),
  )
}

/** A JSON answer from its text. */
export function json(
  text: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return new Response(text, {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  })
}

/** The header that names a revision. */
export function etag(revision: number): Record<string, string> {
  return { ETag: `"${revision}"` }
}

export function noContent(): Response {
  return new Response(null, { status: 204 })
}

/** The path of a list, which its cursors name. */
function pathOf({ url }: Request): string {
  return new URL(url).pathname
}
