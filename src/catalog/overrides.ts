/**
 * What an operator changed of a remote server's tools, by the name a tool has there. It is kept with
 * the settings and so survives refreshes, also of a tool that is gone for a while.
 */
import * as z from 'zod'
import type { Detail } from '../protocol/http-error.ts'
import { requireValid } from './issues.ts'
import { JsonPointer, MAX_TIMEOUT_SECONDS } from '../handlers/http.ts'
import { Status, tooLong } from './item.ts'
import { ToolName } from './names.ts'

const MAX_OVERRIDES = 20_000
const MAX_OVERRIDES_BYTES = 1024 * 1024 // with the settings in one row, which holds 2 MB

/** Tools without an order of their own follow from here on, as the remote server lists them. */
export const FIRST_UNORDERED = 1_000_000

/** MCP's annotations of a tool, and no other: what an operator vouches for is known. */
const Hints = z.strictObject({
  title: z.string().max(1000).optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
})

const MAX_INPUTS = 100

type JsonValue = string | number | boolean | null | object

/** Any JSON value; its type is not `unknown`, which RPC between objects has no type for. */
const Constant: z.ZodType<JsonValue> = z.custom<JsonValue>((value) => value !== undefined)

/** What is sent in an argument's place, whatever the caller gives; `{"omit":true}`: nothing. */
const InputOverride = z.union([
  z.strictObject({ constant: Constant }),
  z.strictObject({ omit: z.literal(true) }),
])

/** By JSON pointer (RFC 6901) into the arguments; such an input is not shown to callers. */
export const InputOverrides = z
  .record(JsonPointer.min(2), InputOverride)
  .refine((all) => Object.keys(all).length <= MAX_INPUTS, `may have ${MAX_INPUTS} members`)
export type InputOverrides = Readonly<Record<string, z.infer<typeof InputOverride>>>

/** What a remote tool is changed in; what is absent stays the remote server's. */
export const ToolOverride = z.strictObject({
  name: ToolName.optional(),
  title: z.string().max(1000).optional(),
  description: z.string().max(20_000).optional(),
  annotations: Hints.optional().meta({ description: 'Each one given replaces that one' }),
  status: Status.optional(),
  timeoutSeconds: z.number().min(0.1).max(MAX_TIMEOUT_SECONDS).optional().meta({
    description: 'How long a call may take; absent: as the server says',
  }),
  inputs: InputOverrides.optional().meta({
    description: 'Arguments that are sent as said here, by JSON pointer; callers do not see them',
  }),
  sortOrder: z
    .int()
    .min(0)
    .max(FIRST_UNORDERED - 1)
    .optional()
    .meta({ description: 'Tools without one follow after those with one, in the remote order' }),
})
export type ToolOverride = z.infer<typeof ToolOverride>

/** Overrides by the name a tool has at the remote server. */
export const Overrides = z
  .record(z.string().min(1).max(1000), ToolOverride)
  .refine((all) => Object.keys(all).length <= MAX_OVERRIDES, `may have ${MAX_OVERRIDES} members`)
  .meta({ description: 'What is changed of the remote tools, by their names there' })
export type Overrides = Readonly<Record<string, ToolOverride>>

/** The override after a change: members given replace, `null` takes one back to the remote server's. */
export function patchOverride(
  override: ToolOverride,
  patch: Readonly<Record<string, unknown>>,
): ToolOverride {
  const members = Object.entries({ ...override, ...patch }).filter(([, value]) => value !== null)
  return requireValid(ToolOverride, Object.fromEntries(members))
}

/** What is wrong with overrides together: two tools of one name, or too much of all. */
export function problemsOfOverrides(overrides: Overrides): Detail[] {
  const names = new Set<string>()
  const twice = Object.entries(overrides).flatMap(([original, { name }]) => {
    if (name === undefined) return []
    const path = `overrides.${original}.name`
    if (names.has(name)) return [{ path, message: `"${name}" is given to another tool too` }]
    names.add(name)
    return []
  })
  return [...twice, ...tooLong('overrides', JSON.stringify(overrides), MAX_OVERRIDES_BYTES)]
}

/** The same overrides without those that change nothing, in one order. */
export function settledOverrides(overrides: Overrides): Record<string, ToolOverride> {
  const entries = Object.entries(overrides).map(([original, { name, status, ...rest }]) => {
    const override = {
      ...(name !== undefined && name !== original && { name }),
      ...rest,
      ...(status === 'paused' && { status }),
    }
    return [original, override] as const
  })
  return Object.fromEntries(
    entries
      .filter(([, override]) => Object.keys(override).length > 0)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
