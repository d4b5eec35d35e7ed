/**
 * One server as an isolate holds it: the published value itself, and where its parts stand. A list
 * for somebody who sees all is a stretch of it; other lists are joined once and remembered in the
 * same bounded memory (`design.md` §4). Nothing here parses, checks or sorts an item for a list.
 */
import { secretsOf } from '../handlers/secret.ts'
import { BoundedMap } from '../memory/bounded-map.ts'
import { concat, encodeUtf8 } from '../protocol/bytes.ts'
import { findParamHeaders, type ParamHeader } from '../protocol/param-headers.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { Tool } from '../protocol/tool.ts'
import { KINDS, type Kind } from './item.ts'
import { differsIn, projectItem } from './project-item.ts'
import {
  opening,
  type Features,
  type Published,
  type PublishedItem,
  type Span,
} from './published.ts'
import type { ServerSettings } from './server.ts'
import type { Surface } from './surface.ts'
import type { Binding } from './tool.ts'
import type { PublishedUpstream } from './upstream.ts'

/** Some items of a kind, with a key that is the same exactly when the names are. */
export type Selection = { key: string; includes: (name: string) => boolean }

/** What a call needs of a tool: parsed, and what follows from that alone. */
export type CallableTool = {
  tool: Tool
  binding: Binding
  /** The arguments that are mirrored into headers. */
  paramHeaders: readonly ParamHeader[]
  /** The names of the secrets that its handler refers to. */
  secrets: readonly string[]
}

export type Renderings = BoundedMap<Uint8Array<ArrayBuffer>>

const ITEM_BYTES = 200 // what the entry of one item takes beside the value, measured
const DECODER = new TextDecoder()
const COMMA = encodeUtf8(',')
const CLOSING = encodeUtf8(']')

const CALLABLE_BYTES = 8 * 1024 * 1024
const PARSED_FACTOR = 6 // what a value takes over its text, about

/** Tools that were called, of all catalogs of the isolate together. */
const callables = new BoundedMap<CallableTool>(CALLABLE_BYTES)
let made = 0

export class Catalog {
  readonly organization: string
  readonly id: string
  readonly revision: number
  readonly settings: ServerSettings
  readonly features: Features
  /** What is known of the server that a remote one stands for. */
  readonly upstream: PublishedUpstream | undefined
  /** What stands beside the tools of an organization's gateway; undefined for a server. */
  readonly surface: Surface | undefined
  readonly #published: Published
  readonly #differing: ReadonlyMap<Kind, number>
  readonly #renderings: Renderings
  readonly #number = (made += 1)
  readonly #byName = new Map<Kind, Map<string, PublishedItem>>()

  constructor(published: Published, renderings: Renderings) {
    this.organization = published.organization
    this.id = published.id
    this.revision = published.revision
    this.settings = published.settings
    this.features = published.features
    this.upstream = published.upstream
    this.surface = published.surface
    this.#published = published
    this.#renderings = renderings
    this.#differing = new Map(
      KINDS.map((kind) => [
        kind,
        this.items(kind).reduce((bits, item) => bits | item.differing, 0),
      ]),
    )
  }

  /** About how much memory this takes, in bytes. */
  get bytes(): number {
    const items = KINDS.reduce((count, kind) => count + this.items(kind).length, 0)
    return this.#published.bytes.length + items * ITEM_BYTES
  }

  /** What clients are told of the server as a whole: the operator's words, else the upstream's. */
  get instructions(): string | undefined {
    return this.settings.instructions ?? this.upstream?.instructions
  }

  /** The active items of a kind in order. */
  items(kind: Kind): readonly PublishedItem[] {
    return this.#published.lists[kind].items
  }

  /** `{"<kind>":[…]` without the closing brace, as a `protocol` revision sees the selected items, or all. */
  list(kind: Kind, protocol: Revision, selection?: Selection): Uint8Array {
    const isStored = !differsIn(this.#differing.get(kind) ?? 0, protocol)
    const { list } = this.#published.lists[kind]
    if (isStored && selection === undefined && list !== undefined) return this.#slice(list)
    const { organization, id, revision } = this
    // Of the revisions that list the items as they are stored, all share one text.
    const shown = isStored ? '' : protocol
    const key = [organization, id, revision, kind, shown, selection?.key].join(' ')
    const remembered = this.#renderings.get(key)
    if (remembered !== undefined) return remembered
    const items = this.items(kind)
    const joined = this.join(
      kind,
      protocol,
      selection ? items.filter(({ name }) => selection.includes(name)) : items,
    )
    this.#renderings.set(key, joined, joined.length)
    return joined
  }

  /** `{"<kind>":[…]` of just these items, in their order. */
  join(kind: Kind, protocol: Revision, items: readonly PublishedItem[]): Uint8Array<ArrayBuffer> {
    const parts: Uint8Array[] = [encodeUtf8(opening(kind))]
    for (const item of items) {
      if (parts.length > 1) parts.push(COMMA)
      parts.push(this.#rendered(kind, item, protocol))
    }
    parts.push(CLOSING)
    return concat(parts)
  }

  /** The item of this name among the active ones of a kind. */
  find(kind: Kind, name: string): PublishedItem | undefined {
    let names = this.#byName.get(kind)
    if (names === undefined) {
      names = new Map(this.items(kind).map((item) => [item.name, item]))
      this.#byName.set(kind, names)
    }
    return names.get(name)
  }

  /** An item's MCP object, parsed and just as it was written. */
  definition(item: PublishedItem): unknown {
    return JSON.parse(this.#text(item.definition))
  }

  /** What serves an item, parsed. */
  binding(item: PublishedItem): unknown {
    return JSON.parse(this.#text(item.binding))
  }

  /** A tool as a call needs it, remembered; it was checked when it was written. */
  callable(item: PublishedItem): CallableTool {
    const key = `${this.#number} ${item.name}`
    const known = callables.get(key)
    if (known !== undefined) return known
    const tool = this.definition(item) as Tool
    const binding = this.binding(item) as Binding
    const { handler } = binding
    const callable = {
      tool,
      binding,
      paramHeaders: findParamHeaders(tool.inputSchema).headers,
      secrets: handler.kind === 'http' ? secretsOf(handler) : [],
    }
    const texts = [item.definition, item.binding]
    const bytes = texts.reduce((sum, { start, end }) => sum + end - start, 0)
    callables.set(key, callable, PARSED_FACTOR * bytes)
    return callable
  }

  #rendered(kind: Kind, item: PublishedItem, protocol: Revision): Uint8Array {
    if (!differsIn(item.differing, protocol)) return this.#slice(item.definition)
    const projected = projectItem(kind, JSON.parse(this.#text(item.definition)), protocol)
    return encodeUtf8(JSON.stringify(projected))
  }

  #slice({ start, end }: Span): Uint8Array {
    return this.#published.bytes.subarray(start, end)
  }

  #text(span: Span): string {
    return DECODER.decode(this.#slice(span))
  }
}
