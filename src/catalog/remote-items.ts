/**
 * The items of a remote server: what it offers, as it was read or as a person approved it
 * (`surfaces.md` D19), with what the operator changed. A definition keeps every member that was not
 * changed, unknown ones too; the binding has the name or URI by which the remote server knows the
 * item. What is unfit to be listed is left out, with the reason.
 */
import * as z from 'zod'
import type { McpHandler } from '../handlers/remote.ts'
import { encodeUtf8 } from '../protocol/bytes.ts'
import { isDeeperThan, MAX_DEPTH } from '../protocol/json-depth.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { Tool } from '../protocol/tool.ts'
import { MAX_URI_LENGTH } from '../protocol/uri-template.ts'
import { canonicalJson } from '../sealing/canonical.ts'
import { approvedText, type Approval } from './approval.ts'
import { giveNames } from './given-names.ts'
import { detailsOf } from './issues.ts'
import { KINDS, MAX_DEFINITION_BYTES, tooLong, type ItemRecord, type Kind } from './item.ts'
import { ToolName } from './names.ts'
import { FIRST_UNORDERED, type Overrides } from './overrides.ts'
import { Prompt } from './prompt.ts'
import { MAX_PUBLISHED_BYTES } from './published.ts'
import { Resource, ResourceTemplate } from './resource.ts'
import type { ApprovalPolicy } from './server.ts'
import { LIMITS } from './server-file.ts'
import { withoutInputs } from './shown-inputs.ts'
import { MAX_INPUT_SCHEMA_BYTES, type RemoteBinding } from './tool.ts'
import type { Left } from './upstream.ts'

const MAX_NAME_LENGTH = 1000
const ENTRY_BYTES = 40 // of an item in the header of the published form

/** JSON texts of the definitions of each kind, in the remote server's order. */
export type RawLists = Readonly<Record<Kind, readonly string[]>>

type Definition = Readonly<Record<string, unknown>>

/** An item as it is listed but for what the operator changed, and what approvals bind it with. */
type Original = {
  name: string
  text: string
  definition: Definition
  asks?: true
  live?: Tool['inputSchema']
}

/** Whose word is needed for what is listed, and what a person said. */
export type ApprovalRules = { policy: ApprovalPolicy; approvals: readonly Approval[] }
const NO_WORD: ApprovalRules = { policy: 'auto_approve_all', approvals: [] }

const wellFormed = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
const Name = wellFormed(MAX_NAME_LENGTH)
const Uri = wellFormed(MAX_URI_LENGTH)

/** The shapes of MCP, in which names and URIs may be what they are. */
const FORMS: Readonly<
  Record<Kind, { schema: z.ZodType; key: string; isValid: (name: string) => boolean }>
> = {
  tools: {
    schema: z.looseObject({ ...Tool.shape, name: Name }),
    key: 'name',
    isValid: (name) => ToolName.safeParse(name).success,
  },
  prompts: {
    schema: z.looseObject({ ...Prompt.shape, name: Name }),
    key: 'name',
    isValid: (name) => Prompt.shape.name.safeParse(name).success,
  },
  resources: {
    schema: z.looseObject({ ...Resource.shape, name: z.string(), uri: Uri }),
    key: 'uri',
    isValid: () => true,
  },
  resourceTemplates: {
    schema: z.looseObject({ ...ResourceTemplate.shape, name: z.string(), uriTemplate: Uri }),
    key: 'uriTemplate',
    isValid: () => true,
  },
}

/** The items of these lists with these overrides and approvals, and what of the lists is left out. */
export function remoteItems(
  raw: RawLists,
  overrides: Overrides,
  rules: ApprovalRules = NO_WORD,
): { items: ItemRecord[]; left: Left[] } {
  const left: Left[] = []
  const items: ItemRecord[] = []
  let bytes = 0
  for (const kind of KINDS) {
    const fit = fitOriginals(kind, raw[kind], left)
    const originals = kind === 'tools' ? approvedTools(fit, rules, left) : fit
    for (const item of itemsOf(kind, originals, overrides)) {
      const size = bytesOf(item)
      if (bytes + size > MAX_PUBLISHED_BYTES) {
        left.push({ name: item.name, reason: 'is beyond the size all items may have together' })
        continue
      }
      bytes += size
      items.push(item)
    }
  }
  return { items, left }
}

/** The definitions of a kind that can be shown, the first of each name. */
function fitOriginals(kind: Kind, texts: readonly string[], left: Left[]): Original[] {
  const originals = new Map<string, Original>()
  for (const text of texts) {
    const definition: unknown = JSON.parse(text)
    const key = isObject(definition) ? definition[FORMS[kind].key] : undefined
    const name = typeof key === 'string' ? key : ''
    const reason = originals.has(name) ? 'stands twice' : reasonAgainst(kind, definition, text)
    if (reason !== undefined) left.push({ name, reason })
    else if (originals.size === LIMITS[kind]) left.push({ name, reason: 'is one too many' })
    else if (isObject(definition)) originals.set(name, { name, text, definition })
  }
  return [...originals.values()]
}

/** Tools as the policy of their server lets them be listed (`surfaces.md` D19). */
function approvedTools(
  tools: readonly Original[],
  { policy, approvals }: ApprovalRules,
  left: Left[],
): readonly Original[] {
  if (policy === 'auto_approve_all') return tools
  if (policy === 'require_approval_all') return tools.map((tool) => ({ ...tool, asks: true }))
  const byTool = new Map(approvals.map((approval) => [approval.tool, approval]))
  return tools.flatMap((tool) => {
    const approved = approvedTool(tool, byTool.get(tool.name))
    if (typeof approved !== 'string') return [approved]
    left.push({ name: tool.name, reason: approved })
    return []
  })
}

/** A tool in the definition that was approved, or why it is not listed. */
function approvedTool(tool: Original, approval: Approval | undefined): Original | string {
  if (approval === undefined) return 'is not approved'
  const { name } = tool
  const { inputSchema } = tool.definition as Tool // which fits, as it was checked
  const { description } = tool.definition
  const text = approvedText(approval, { ...tool, description, inputSchema })
  if (text === undefined)
    return 'is approved in another definition, of which only the hash is known'
  const definition: unknown = JSON.parse(text)
  const reason = reasonAgainst('tools', definition, text)
  if (reason !== undefined) return `was approved in a definition that cannot be shown: ${reason}`
  const approved = definition as Tool
  const isSame = canonicalJson(approved.inputSchema) === canonicalJson(inputSchema)
  return {
    name,
    text,
    definition: approved,
    ...(approval.policy === 'requires_approval' && { asks: true }),
    ...(!isSame && { live: inputSchema }),
  }
}

/** Why a definition cannot be shown; undefined where it can. */
function reasonAgainst(kind: Kind, definition: unknown, text: string): string | undefined {
  // Depth first: what follows may walk by recursion.
  if (isDeeperThan(definition, MAX_DEPTH + 1)) return `nests deeper than ${MAX_DEPTH} levels`
  const { schema, key } = FORMS[kind]
  const checked = schema.safeParse(definition, { reportInput: true })
  if (!checked.success) {
    const [problem] = detailsOf(checked.error)
    return problem && `${problem.path} ${problem.message}`.trim()
  }
  const members = isObject(definition) ? definition : {}
  // An empty name, and one that is no member of an object, can be no key of overrides.
  if (members[key] === '' || members[key] === '__proto__') return `${key} cannot be kept`
  const [problem] = [
    ...tooLong('it', text, MAX_DEFINITION_BYTES),
    ...(kind === 'tools'
      ? tooLong('inputSchema', JSON.stringify(members['inputSchema']), MAX_INPUT_SCHEMA_BYTES)
      : []),
  ]
  return problem && `${problem.path} ${problem.message}`
}

function itemsOf(kind: Kind, originals: readonly Original[], overrides: Overrides): ItemRecord[] {
  const renamed = kind === 'tools' ? renames(overrides) : new Map<string, string>()
  const names = giveNames(
    originals.map(({ name }) => name),
    renamed,
    FORMS[kind].isValid,
  )
  return originals.map((original, index): ItemRecord => {
    const name = names.get(original.name) ?? original.name
    const isChanged = kind === 'tools' && Object.hasOwn(overrides, original.name)
    const own = isChanged ? overrides[original.name] : undefined
    const {
      status = 'active',
      sortOrder,
      name: _,
      annotations,
      timeoutSeconds,
      inputs,
      ...members
    } = own ?? {}
    const changes = {
      ...(name !== original.name && { name }),
      ...members,
      ...(annotations && { annotations: annotated(original, annotations) }),
      ...(inputs && { inputSchema: withoutInputs(schemaOf(original), inputs) }),
    }
    const { asks, live } = original
    return {
      kind,
      name,
      status,
      sortOrder: sortOrder ?? FIRST_UNORDERED + index,
      definition:
        Object.keys(changes).length === 0
          ? original.text
          : JSON.stringify({ ...original.definition, ...changes }),
      binding: bindingOf(kind, original.name, {
        ...(asks && { asks }),
        ...(live && { live: inputs ? withoutInputs(live, inputs) : live }),
        ...(timeoutSeconds !== undefined && { timeoutSeconds }),
        ...(inputs && { inputs }),
      }),
    }
  })
}

function schemaOf({ definition }: Original): Tool['inputSchema'] {
  return (definition as Tool).inputSchema // overrides are of tools alone
}

function annotated({ definition }: Original, changes: object): object {
  const { annotations } = definition
  return { ...(isObject(annotations) && annotations), ...changes }
}

/** What serves an item of a remote server, by its name or URI there. */
function bindingOf(kind: Kind, original: string, rest: RemoteBinding): string {
  return JSON.stringify(
    kind === 'tools' ? { handler: { kind: 'mcp', name: original }, ...rest } : { remote: original },
  )
}

/** The name by which the remote server knows a tool of its. */
export function originalNameOf({ binding }: Pick<ItemRecord, 'binding'>): string {
  return (JSON.parse(binding) as { handler: McpHandler }).handler.name
}

/** The names that overrides give, by the names at the remote server. */
export function renames(overrides: Overrides): Map<string, string> {
  return new Map(
    Object.entries(overrides).flatMap(([original, { name }]) =>
      name === undefined ? [] : [[original, name] as const],
    ),
  )
}

function bytesOf({ name, definition, binding }: ItemRecord): number {
  const texts = [definition, binding, name, name]
  return texts.reduce((bytes, text) => bytes + encodeUtf8(text).length, ENTRY_BYTES)
}
