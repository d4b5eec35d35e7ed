/**
 * The published form of a server: the KV value that `Organization` writes and every isolate reads.
 *
 *   {header}\n{"tools":[definition,definition,…]\n binding binding …
 *
 * The header is JSON: who and which revision, the settings, and for each active tool in order its
 * name, the lengths of its definition and binding in bytes, and the families that list it otherwise.
 * So a reader parses the header alone: the list is a stretch of the value, a call's parts are slices.
 * A deleted server is published as a tombstone, since a bare miss looks like a stale one.
 */
import * as z from 'zod'
import { concat, encodeUtf8 } from '../protocol/bytes.ts'
import { ServerSettings } from './server.ts'
import type { ToolRecord } from './tool.ts'
import { differingFamilies } from './project-tool.ts'

/** KV holds 25 MiB in a value; what is longer is refused when it is written. */
export const MAX_PUBLISHED_BYTES = 24 * 1024 * 1024

const LIST_OPENING = '{"tools":['
const NEWLINE = 10

const Tombstone = z.strictObject({
  format: z.literal(1),
  organization: z.string(),
  id: z.string(),
  revision: z.int(),
  deleted: z.literal(true),
})

const Header = z.strictObject({
  format: z.literal(1),
  organization: z.string(),
  id: z.string(),
  revision: z.int(),
  /** Not strict: during a deploy a newer writer may know a setting more. */
  settings: z.object(ServerSettings.shape),
  /** Name, definition bytes, binding bytes, families that differ: flat, since there may be 10,000. */
  tools: z.custom<(string | number)[]>(Array.isArray),
})

export type PublishedTool = {
  name: string
  differing: number
  definition: Span
  binding: Span
}

/** A stretch of the value, in bytes. */
export type Span = { start: number; end: number }

export type Published = {
  organization: string
  id: string
  revision: number
  settings: ServerSettings
  tools: readonly PublishedTool[]
  /** `{"tools":[…]` without the closing brace. */
  list: Span
  bytes: Uint8Array<ArrayBuffer>
}

export type Gone = { organization: string; id: string; revision: number; deleted: true }

/** A value in KV that is not what we write; treated as if KV had failed. */
export class UnreadablePublished extends Error {}

/** The value for a server's active tools, given in order. */
export function formatPublished(
  server: { organization: string; id: string; revision: number; settings: ServerSettings },
  tools: readonly ToolRecord[],
): Uint8Array<ArrayBuffer> {
  const definitions = tools.map((tool) => encodeUtf8(tool.definition))
  const bindings = tools.map((tool) => encodeUtf8(tool.binding))
  const index = tools.flatMap((tool, i) => [
    tool.name,
    definitions[i]?.length ?? 0,
    bindings[i]?.length ?? 0,
    differingFamilies(JSON.parse(tool.definition)),
  ])
  const parts: Uint8Array[] = [
    encodeUtf8(`${JSON.stringify({ format: 1, ...server, tools: index })}\n`),
  ]
  const comma = encodeUtf8(',')
  parts.push(encodeUtf8(LIST_OPENING))
  for (const [i, definition] of definitions.entries()) {
    if (i > 0) parts.push(comma)
    parts.push(definition)
  }
  parts.push(encodeUtf8(']\n'), ...bindings)
  return concat(parts)
}

/** The value for a server that is gone. */
export function formatTombstone(server: {
  organization: string
  id: string
  revision: number
}): Uint8Array<ArrayBuffer> {
  return encodeUtf8(`${JSON.stringify({ format: 1, ...server, deleted: true })}\n`)
}

/** Reads a value, or throws `UnreadablePublished`. */
export function parsePublished(bytes: Uint8Array<ArrayBuffer>): Published | Gone {
  const end = bytes.indexOf(NEWLINE)
  if (end < 0) throw new UnreadablePublished('no header')
  const value: unknown = parseJson(new TextDecoder().decode(bytes.subarray(0, end)))
  const gone = Tombstone.safeParse(value)
  if (gone.success) return gone.data
  const header = Header.safeParse(value)
  if (!header.success) throw new UnreadablePublished('unknown header')
  const { organization, id, revision, settings, tools: index } = header.data
  const starts: number[] = []
  let at = end + 1 + LIST_OPENING.length
  for (let i = 1; i < index.length; i += 4) {
    starts.push(at)
    at += Number(index[i]) + 1 // the comma, or the bracket after the last
  }
  const list = { start: end + 1, end: starts.length === 0 ? at + 1 : at }
  let binding = list.end + 1
  const tools = starts.map((start, n): PublishedTool => {
    const span = { start: binding, end: binding + Number(index[4 * n + 2]) }
    binding = span.end
    return {
      name: String(index[4 * n]),
      differing: Number(index[4 * n + 3]),
      definition: { start, end: start + Number(index[4 * n + 1]) },
      binding: span,
    }
  })
  if (binding !== bytes.length)
    // NaN too, where an entry is no number
    throw new UnreadablePublished('lengths do not add up')
  return { organization, id, revision, settings, tools, list, bytes }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadablePublished('header is not JSON')
  }
}
