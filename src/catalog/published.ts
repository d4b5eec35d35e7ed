/**
 * The published form of a server: the KV value that `Organization` writes and every isolate reads.
 *
 *   {header}\n{"tools":[definition,…]\n{"prompts":[…]\n … binding binding …
 *
 * The header is JSON: who and which revision, the settings, and for each active item in order its
 * name, the lengths of its definition and binding in bytes, and the protocol revisions that list it otherwise.
 * So a reader parses the header alone: a list is a stretch of the value, a call's parts are slices.
 * A deleted server is published as a tombstone, since a bare miss looks like a stale one.
 */
import * as z from 'zod'
import { concat, encodeUtf8 } from '../protocol/bytes.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { KINDS, type ItemRecord, type Kind } from './item.ts'
import { differingRevisions } from './project-item.ts'
import { ServerSettings } from './server.ts'
import { Surface } from './surface.ts'
import { isLogging, type Binding } from './tool.ts'
import { offers, PublishedUpstream } from './upstream.ts'

/** KV holds 25 MiB in a value; what is longer is refused when it is written. */
export const MAX_PUBLISHED_BYTES = 24 * 1024 * 1024

const NEWLINE = 10

const Tombstone = z.strictObject({
  format: z.literal(1),
  organization: z.string(),
  id: z.string(),
  revision: z.int(),
  deleted: z.literal(true),
})

/** Name, definition bytes, binding bytes, revisions that differ: flat, since there may be 10,000. */
const Index = z.custom<(string | number)[]>(Array.isArray)

const Header = z.object({
  format: z.literal(1),
  organization: z.string(),
  id: z.string(),
  revision: z.int(),
  /** Not strict: during a deploy a newer writer may know a setting more. */
  settings: z.object(ServerSettings.shape),
  features: z.object({
    tools: z.boolean(),
    prompts: z.boolean(),
    resources: z.boolean(),
    logging: z.boolean(),
    completions: z.boolean(),
  }),
  /** What is known of the server that a remote one stands for; absent before it was ever read. */
  upstream: PublishedUpstream.optional(),
  /** Of an organization's gateway, whose tools these are. */
  surface: Surface.optional(),
  items: z.object({
    tools: Index,
    prompts: Index,
    resources: Index,
    resourceTemplates: Index,
  } satisfies Record<Kind, unknown>),
})

/**
 * What a server offers at all, paused items counted: a capability does not come and go with the last
 * tool's status. Log levels and completions only where an item uses them. A remote server offers what
 * its upstream does.
 */
export type Features = {
  tools: boolean
  prompts: boolean
  resources: boolean
  logging: boolean
  completions: boolean
}

export type PublishedItem = {
  name: string
  differing: number
  definition: Span
  binding: Span
}

/** A stretch of the value, in bytes. */
export type Span = { start: number; end: number }

/**
 * The items of a kind, and `{"<kind>":[…]` without the closing brace, where they stand together as
 * they are listed.
 */
export type PublishedList = { items: readonly PublishedItem[]; list: Span | undefined }

export type Published = {
  organization: string
  id: string
  revision: number
  settings: ServerSettings
  features: Features
  upstream?: PublishedUpstream | undefined
  surface?: Surface | undefined
  lists: Readonly<Record<Kind, PublishedList>>
  bytes: Uint8Array<ArrayBuffer>
}

export type Gone = { organization: string; id: string; revision: number; deleted: true }

/** A value in KV that is not what we write; treated as if KV had failed. */
export class UnreadablePublished extends Error {
  override readonly name = 'UnreadablePublished'
}

/** The value for a server, its active items listed; those of a kind are given in order. */
export function formatPublished(
  server: Pick<Published, 'organization' | 'id' | 'revision' | 'settings' | 'upstream' | 'surface'>,
  items: readonly ItemRecord[],
): Uint8Array<ArrayBuffer> {
  const sections: Uint8Array[] = []
  const bindings: Uint8Array[] = []
  const index: Record<string, (string | number)[]> = {}
  for (const kind of KINDS) {
    const ofKind = items.filter((item) => item.kind === kind && item.status === 'active')
    const definitions = ofKind.map(({ definition }) => encodeUtf8(definition))
    const serving = ofKind.map(({ binding }) => encodeUtf8(binding))
    index[kind] = ofKind.flatMap(({ name, definition }, i) => [
      name,
      definitions[i]?.length ?? 0,
      serving[i]?.length ?? 0,
      differingRevisions(kind, JSON.parse(definition)),
    ])
    sections.push(encodeUtf8(opening(kind)), ...separated(definitions), encodeUtf8(']\n'))
    bindings.push(...serving)
  }
  // Overrides are in the items already, and may be as large as all of them; connecting is no call.
  const { overrides: _, connect: _c, ...settings } = server.settings
  const features = featuresOf(server, items)
  const header = { format: 1, ...server, settings, features, items: index }
  return concat([encodeUtf8(`${JSON.stringify(header)}\n`), ...sections, ...bindings])
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
  const gone = isObject(value) && 'deleted' in value ? Tombstone.safeParse(value) : undefined
  if (gone?.success) return gone.data
  const header = Header.safeParse(value)
  if (!header.success) throw new UnreadablePublished('unknown header')
  const { format: _, items, ...server } = header.data
  const definitions = spansOfLists(items, end + 1)
  let at = definitions.end
  const listOf = (kind: Kind): PublishedList => {
    const read = (n: number, member: number) => items[kind][4 * n + member]
    const { list, items: spans } = definitions.spans[kind]
    const published = spans.map((definition, n): PublishedItem => {
      const binding = { start: at, end: at + Number(read(n, 2)) }
      at = binding.end
      return { name: String(read(n, 0)), differing: Number(read(n, 3)), definition, binding }
    })
    return { items: published, list }
  }
  const lists: Record<Kind, PublishedList> = {
    tools: listOf('tools'), // in the order in which their bindings stand
    prompts: listOf('prompts'),
    resources: listOf('resources'),
    resourceTemplates: listOf('resourceTemplates'),
  }
  // NaN too, where an entry is no number
  if (at !== bytes.length) throw new UnreadablePublished('lengths do not add up')
  return { ...server, lists, bytes }
}

/** Where the lists stand from `start` on, and each definition in them. */
function spansOfLists(items: Readonly<Record<Kind, (string | number)[]>>, start: number) {
  const spans: Partial<Record<Kind, { items: Span[]; list: Span }>> = {}
  let begin = start
  for (const kind of KINDS) {
    let at = begin + opening(kind).length
    const definitions: Span[] = []
    for (let i = 1; i < items[kind].length; i += 4) {
      const end = at + Number(items[kind][i])
      definitions.push({ start: at, end })
      at = end + 1 // the comma, or the bracket after the last
    }
    const end = definitions.length === 0 ? at + 1 : at
    spans[kind] = { items: definitions, list: { start: begin, end } }
    begin = end + 1 // the line end
  }
  return { spans: spans as Record<Kind, { items: Span[]; list: Span }>, end: begin }
}

/** What stands before the first definition of a list. */
export function opening(kind: Kind): string {
  return `{"${kind}":[`
}

function separated(parts: readonly Uint8Array[]): Uint8Array[] {
  const comma = encodeUtf8(',')
  return parts.flatMap((part, i) => (i === 0 ? [part] : [comma, part]))
}

function featuresOf(
  { upstream, surface }: Pick<Published, 'upstream' | 'surface'>,
  items: readonly ItemRecord[],
): Features {
  if (surface !== undefined) return ONLY_TOOLS
  return upstream === undefined ? featuresOfItems(items) : featuresOfUpstream(upstream)
}

const ONLY_TOOLS: Features = {
  tools: true,
  prompts: false,
  resources: false,
  logging: false,
  completions: false,
}

function featuresOfItems(items: readonly ItemRecord[]): Features {
  const has = (...kinds: Kind[]) => items.some(({ kind }) => kinds.includes(kind))
  return {
    tools: has('tools'),
    prompts: has('prompts'),
    resources: has('resources', 'resourceTemplates'),
    logging: items.some(
      ({ kind, binding }) => kind === 'tools' && isLogging(JSON.parse(binding) as Binding),
    ),
    completions: items.some(
      ({ kind, binding }) => kind !== 'tools' && 'completions' in JSON.parse(binding),
    ),
  }
}

function featuresOfUpstream(upstream: PublishedUpstream): Features {
  return {
    tools: offers(upstream, 'tools'),
    prompts: offers(upstream, 'prompts'),
    resources: offers(upstream, 'resources'),
    logging: offers(upstream, 'logging'),
    completions: offers(upstream, 'completions'),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UnreadablePublished('header is not JSON')
  }
}
