/**
 * The definitions of a remote server's lists that can be shown, each as it was read. What is unfit is
 * left out, with the reason.
 */
import * as z from 'zod'
import { isDeeperThan, MAX_DEPTH } from '../protocol/json-depth.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { Tool } from '../protocol/tool.ts'
import { MAX_URI_LENGTH } from '../protocol/uri-template.ts'
import { detailsOf } from './issues.ts'
import { MAX_DEFINITION_BYTES, tooLong, type Kind } from './item.ts'
import { ToolName } from './names.ts'
import { Prompt } from './prompt.ts'
import { Resource, ResourceTemplate } from './resource.ts'
import { LIMITS } from './server-file.ts'
import { MAX_INPUT_SCHEMA_BYTES } from './tool.ts'
import type { Left } from './upstream.ts'

const MAX_NAME_LENGTH = 1000

type Definition = Readonly<Record<string, unknown>>

/** An item as it is listed but for what the operator changed, and what approvals bind it with. */
export type Original = {
  name: string
  text: string
  definition: Definition
  asks?: true
  live?: Tool['inputSchema']
}

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

/** The definitions of a kind that can be shown, the first of each name. */
export function fitOriginals(kind: Kind, texts: readonly string[], left: Left[]): Original[] {
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

/** Whether an item can be named here as it is there. */
export function isNameOfOurs(kind: Kind, name: string): boolean {
  return FORMS[kind].isValid(name)
}

/** Why a definition cannot be shown; undefined where it can. */
export function reasonAgainst(kind: Kind, definition: unknown, text: string): string | undefined {
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
