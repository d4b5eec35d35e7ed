/**
 * What an organization's rules say of a call: run it, hold it for a person, or refuse it (`surfaces.md`
 * C48, D19). Pure: the first rule that matches decides, else the default. Who may call at all, and what
 * is visible, is decided elsewhere, and no rule widens it.
 */
import * as z from 'zod'
import { isDeeperThan } from '../protocol/json-depth.ts'
import { tokensOf } from '../protocol/json-pointer.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { canonicalJson } from '../sealing/canonical.ts'

const MAX_RULES = 100
const MAX_RULES_LENGTH = 64 * 1024 // of their JSON: they are read with each call
const MAX_TEXT_LENGTH = 200
const MAX_POINTERS = 20
const MAX_CHOICES = 100
const MAX_VALUE_DEPTH = 20

/** What is done with a call. */
export const Effect = z.enum(['run', 'ask', 'refuse'])
export type Effect = z.infer<typeof Effect>

const Text = z.string().min(1).max(MAX_TEXT_LENGTH)
const Scalar = z.union([z.string().max(MAX_RULES_LENGTH), z.number(), z.boolean(), z.null()])
const Value = z.unknown().refine((value) => !isDeeperThan(value, MAX_VALUE_DEPTH), {
  error: `is deeper than ${MAX_VALUE_DEPTH}`,
  abort: true, // before anything walks into it
})

/** What a value has to be; all that is named must hold. */
const Comparison = z
  .strictObject({
    equals: Value.optional(),
    in: z.array(Scalar).min(1).max(MAX_CHOICES).optional(),
    matches: Text.optional().meta({ description: 'Of a text; * stands for any characters' }),
    atLeast: z.number().optional(),
    atMost: z.number().optional(),
  })
  .refine((comparison) => Object.keys(comparison).length > 0, 'must compare with something')
type Comparison = z.infer<typeof Comparison>

const Pointer = z
  .string()
  .max(MAX_TEXT_LENGTH)
  .regex(/^(?:\/(?:[^~/]|~[01])*)+$/, 'must be a JSON pointer such as /amount')

const flag = z.boolean().optional()

/** Which calls a rule is for; nothing named: all. */
const Match = z.strictObject({
  server: Text.optional().meta({ description: 'Its id, or its capability on the gateway' }),
  tool: Text.optional().meta({
    description: 'Its name on its server; * stands for any characters',
  }),
  annotations: z
    .strictObject({
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
    })
    .optional()
    .meta({ description: 'As the tool has them; absent ones count as MCP says: the cautious way' }),
  arguments: z
    .record(Pointer, z.union([Scalar, Comparison]))
    .refine((all) => Object.keys(all).length <= MAX_POINTERS, `may have ${MAX_POINTERS} members`)
    .optional()
    .meta({ description: 'By JSON pointer; a plain value must be equal' }),
  caller: z.enum(['member', 'agent']).optional(),
})
type Match = z.infer<typeof Match>

/** The rules of an organization, in their order, and what is done with calls of none of them. */
export const ApprovalRules = z
  .strictObject({
    rules: z.array(z.strictObject({ match: Match, effect: Effect })).max(MAX_RULES),
    default: Effect,
  })
  .refine((rules) => JSON.stringify(rules).length <= MAX_RULES_LENGTH, 'is longer than 64 KiB')
export type ApprovalRules = z.infer<typeof ApprovalRules>

/** Where nothing else was said: only what a person said of a tool is asked about (D19). */
export const NO_RULES: ApprovalRules = { rules: [], default: 'run' }

/** A call as rules look at it. */
export type RuledCall = {
  server: string
  capability: string
  /** The tool's name on its server. */
  tool: string
  annotations: Readonly<Record<string, unknown>>
  /** With the defaults of the tool's schema filled in. */
  args: Readonly<Record<string, unknown>>
  caller: 'member' | 'agent'
  /** Whether a person said that each call of the tool asks (D19). */
  asks: boolean
}

/** What is done with a call; one that a person said asks may be refused, and never just runs. */
export function decide({ rules, default: otherwise }: ApprovalRules, call: RuledCall): Effect {
  const rule = rules.find(({ match, effect }) => isOf(match, call, effect !== 'run'))
  const effect = rule?.effect ?? otherwise
  return effect === 'run' && call.asks ? 'ask' : effect
}

/** Where `isCautious`, an argument that cannot be compared is one that the rule is about. */
function isOf(match: Match, call: RuledCall, isCautious: boolean): boolean {
  const { server, tool, annotations, arguments: args, caller } = match
  const hints = hintsOf(call.annotations)
  return (
    (server === undefined || server === call.server || server === call.capability) &&
    (tool === undefined || fits(tool, call.tool)) &&
    (caller === undefined || caller === call.caller) &&
    HINTS.every((hint) => [undefined, hints[hint]].includes(annotations?.[hint])) &&
    Object.entries(args ?? {}).every(([pointer, wanted]) => {
      const found = valueAt(call.args, pointer)
      return found !== undefined && holds(wanted, found.value, isCautious)
    })
  )
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

/** What a tool says of itself, with MCP's defaults, which think the worst of what is not said. */
function hintsOf(annotations: RuledCall['annotations']): Record<(typeof HINTS)[number], boolean> {
  const isReading = annotations['readOnlyHint'] === true
  return {
    readOnlyHint: isReading,
    destructiveHint: !isReading && annotations['destructiveHint'] !== false,
    idempotentHint: isReading || annotations['idempotentHint'] === true,
    openWorldHint: annotations['openWorldHint'] !== false,
  }
}

/** The value at a JSON pointer; undefined where there is none. */
function valueAt(root: unknown, pointer: string): { value: unknown } | undefined {
  let value = root
  for (const name of tokensOf(pointer)) {
    const isIndex = /^(?:0|[1-9]\d*)$/.test(name)
    const isInside = Array.isArray(value) ? isIndex : isObject(value)
    if (!isInside || !Object.hasOwn(value as object, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return { value }
}

function holds(wanted: unknown, value: unknown, isCautious: boolean): boolean {
  if (!isObject(wanted)) return isEqual(wanted, value)
  const { equals, in: choices, matches, atLeast, atMost } = wanted as Comparison
  const isText = typeof value === 'string'
  const isNumber = typeof value === 'number'
  return (
    (equals === undefined || isEqual(equals, value)) &&
    (choices === undefined || choices.some((choice) => isEqual(choice, value))) &&
    (matches === undefined || (isText ? fits(matches, value) : isCautious)) &&
    (atLeast === undefined || (isNumber ? value >= atLeast : isCautious)) &&
    (atMost === undefined || (isNumber ? value <= atMost : isCautious))
  )
}

function isEqual(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

/** Whether a text is as a pattern says, from its beginning to its end; without backtracking. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split('*')
  const last = others.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= end
}
