/**
 * The tools of a server as the gateway lists them (`surfaces.md` C31, C33): named
 * `<capability>__<operation>`, with the members MCP has, and for a connector with an optional
 * argument `account`. What serves them stays with their server: the binding only says where.
 */
import * as z from 'zod'
import { isObject } from '../protocol/json-rpc.ts'
import { sha256Hex } from '../sealing/digest.ts'
import type { ItemRecord } from './item.ts'
import { CAPABILITY_SEPARATOR } from './names.ts'
import type { Capability } from './surface.ts'

const MAX_NAME_LENGTH = 128 // what MCP allows a tool
const HASH_DIGITS = 6

/** What a tool has on the gateway; all else is between its operator and us. */
const MEMBERS: ReadonlySet<string> = new Set(
  'name title description inputSchema outputSchema annotations icons _meta'.split(' '),
)

/** The argument that chooses among the accounts of a caller (`surfaces.md` C43). */
export const ACCOUNT_ARGUMENT = 'account'
const ACCOUNT_PROPERTY = {
  type: 'string',
  description: 'Alias of the account to use; needed where you have several',
}

/** What a tool takes at the most beside its definition and its names, in bytes. */
export const SURFACE_ITEM_BYTES = 100
export const ACCOUNT_PROPERTY_BYTES = 150

/** What serves a tool of the gateway: the tool of a server. */
export const SurfaceBinding = z.strictObject({
  server: z.string(),
  tool: z.string(),
  account: z.enum(['none', 'required']),
})
export type SurfaceBinding = z.infer<typeof SurfaceBinding>

/** The name of an operation on the gateway; one that is too long ends in some of its hash. */
export function surfaceName(capability: string, operation: string): string {
  const name = `${capability}${CAPABILITY_SEPARATOR}${operation}`
  if (name.length <= MAX_NAME_LENGTH) return name
  const start = name.slice(0, MAX_NAME_LENGTH - 1 - HASH_DIGITS)
  return `${start}_${sha256Hex(name).slice(0, HASH_DIGITS)}`
}

/** A tool of a server as an item of the surface. */
export function surfaceItem({ id, server, account }: Capability, tool: ItemRecord): ItemRecord {
  const name = surfaceName(id, tool.name)
  const members = Object.entries(JSON.parse(tool.definition) as object)
    .filter(([member]) => MEMBERS.has(member))
    .map(([member, value]: [string, unknown]) => {
      if (member === 'name') return [member, name] as const
      const isSchema = member === 'inputSchema' && account === 'required'
      return [member, isSchema ? withAccount(value) : value] as const
    })
  const binding: SurfaceBinding = { server, tool: tool.name, account }
  return {
    ...tool,
    name,
    definition: JSON.stringify(Object.fromEntries(members)),
    binding: JSON.stringify(binding),
  }
}

/** Whether the argument `account` of a connector's tool is ours to take: it has none of that name. */
export function takesAccount(inputSchema: unknown): boolean {
  const properties = isObject(inputSchema) ? inputSchema['properties'] : undefined
  return !(isObject(properties) && Object.hasOwn(properties, ACCOUNT_ARGUMENT))
}

function withAccount(inputSchema: unknown): unknown {
  if (!isObject(inputSchema) || !takesAccount(inputSchema)) return inputSchema
  const { properties } = inputSchema
  const own = isObject(properties) ? properties : {}
  return { ...inputSchema, properties: { ...own, [ACCOUNT_ARGUMENT]: ACCOUNT_PROPERTY } }
}
