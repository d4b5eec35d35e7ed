/**
 * One server as an isolate holds it: the published value itself, and where its parts stand. A list
 * for somebody who sees all is a stretch of it; other lists are joined once and remembered in the
 * same bounded memory (`design.md` §4). Nothing here parses, checks or sorts a tool for a list.
 */
import { concat, encodeUtf8 } from '../protocol/bytes.ts'
import { Tool } from '../protocol/tool.ts'
import type { BoundedMap } from '../memory/bounded-map.ts'
import type { Family } from '../protocol/revisions.ts'
import type { Published, PublishedTool, Span } from './published.ts'
import { differsIn, projectTool } from './project-tool.ts'
import type { ServerSettings } from './server.ts'
import { Binding } from './tool.ts'

/** Some tools of a catalog, with a key that is the same exactly when the names are. */
export type Selection = { key: string; includes: (name: string) => boolean }

export type Renderings = BoundedMap<Uint8Array<ArrayBuffer>>

const TOOL_BYTES = 200 // what the entry of one tool takes beside the value, measured
const OPENING = encodeUtf8('{"tools":[')
const COMMA = encodeUtf8(',')
const CLOSING = encodeUtf8(']')

export class Catalog {
  readonly organization: string
  readonly id: string
  readonly revision: number
  readonly settings: ServerSettings
  readonly tools: readonly PublishedTool[]
  readonly #value: Uint8Array<ArrayBuffer>
  readonly #whole: Span
  readonly #differing: number
  readonly #renderings: Renderings
  #byName: Map<string, PublishedTool> | undefined

  constructor(published: Published, renderings: Renderings) {
    this.organization = published.organization
    this.id = published.id
    this.revision = published.revision
    this.settings = published.settings
    this.tools = published.tools
    this.#value = published.bytes
    this.#whole = published.list
    this.#differing = published.tools.reduce((bits, tool) => bits | tool.differing, 0)
    this.#renderings = renderings
  }

  /** About how much memory this takes, in bytes. */
  get bytes(): number {
    return this.#value.length + this.tools.length * TOOL_BYTES
  }

  /** `{"tools":[…]` without the closing brace, as `family` sees the selected tools, or all. */
  list(family: Family, selection?: Selection): Uint8Array {
    const stored = !differsIn(this.#differing, family)
    if (stored && selection === undefined) {
      return this.#value.subarray(this.#whole.start, this.#whole.end)
    }
    const { organization, id, revision } = this
    // Of the families that list a tool as it is stored, all share one text.
    const key = [organization, id, revision, stored ? '' : family, selection?.key].join(' ')
    const remembered = this.#renderings.get(key)
    if (remembered !== undefined) return remembered
    const tools = selection ? this.tools.filter(({ name }) => selection.includes(name)) : this.tools
    const joined = this.join(family, tools)
    this.#renderings.set(key, joined, joined.length)
    return joined
  }

  /** `{"tools":[…]` of just these tools, in their order. */
  join(family: Family, tools: readonly PublishedTool[]): Uint8Array<ArrayBuffer> {
    const parts: Uint8Array[] = [OPENING]
    for (const tool of tools) {
      if (parts.length > 1) parts.push(COMMA)
      parts.push(this.#rendered(tool, family))
    }
    parts.push(CLOSING)
    return concat(parts)
  }

  /** The tool of this name among the active ones. */
  find(name: string): PublishedTool | undefined {
    this.#byName ??= new Map(this.tools.map((tool) => [tool.name, tool]))
    return this.#byName.get(name)
  }

  /** A tool's MCP object, parsed for a call. */
  definition(tool: PublishedTool): Tool {
    return Tool.parse(JSON.parse(this.#text(tool.definition)))
  }

  /** What serves a call of a tool, parsed. */
  binding(tool: PublishedTool): Binding {
    return Binding.parse(JSON.parse(this.#text(tool.binding)))
  }

  #rendered(tool: PublishedTool, family: Family): Uint8Array {
    const { start, end } = tool.definition
    if (!differsIn(tool.differing, family)) return this.#value.subarray(start, end)
    const projected = projectTool(JSON.parse(this.#text(tool.definition)), family)
    return encodeUtf8(JSON.stringify(projected))
  }

  #text({ start, end }: Span): string {
    return new TextDecoder().decode(this.#value.subarray(start, end))
  }
}
