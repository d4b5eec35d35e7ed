/**
 * What is known of a remote server: the snapshot that is read from it, and the part of that which is
 * published, so that the edge knows what it can relay and how old the lists are.
 */
import * as z from 'zod'
import { isObject } from '../protocol/json-rpc.ts'

/** As much as an operator may write. */
const MAX_INSTRUCTIONS_LENGTH = 100_000
const MAX_LABEL_LENGTH = 300
/** What is left out is told by name so often; beyond that it is counted. */
export const MAX_LEFT = 100

/** A member as it should be, or absent: a remote server's mistake in one spoils no other. */
const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

const Changes = { listChanged: lenient(z.boolean()) }

/** The capabilities of a remote server that can be relayed. */
export const UpstreamCapabilities = z.object({
  tools: lenient(z.object(Changes)),
  prompts: lenient(z.object(Changes)),
  resources: lenient(z.object({ ...Changes, subscribe: lenient(z.boolean()) })),
  completions: lenient(z.object({})),
  logging: lenient(z.object({})),
})
export type UpstreamCapabilities = z.infer<typeof UpstreamCapabilities>

const Era = z.enum(['modern', 'legacy', 'sse'])

const cut = (maxLength: number) => z.string().transform((text) => text.slice(0, maxLength))
const Label = cut(MAX_LABEL_LENGTH)

/** Something of a remote list that is not shown, and why. */
export const Left = z.object({
  name: Label,
  reason: Label,
})
export type Left = z.infer<typeof Left>

/** What was read of a remote server at a time, definitions as it gave them. */
export const Snapshot = z.object({
  /** The URL it was read from (`nameOfUrl`): a snapshot of another is of no use. */
  url: z.string(),
  at: z.int(),
  era: Era,
  revision: z.string(),
  capabilities: UpstreamCapabilities,
  serverInfo: lenient(
    z.object({ name: lenient(Label), version: lenient(Label), title: lenient(Label) }),
  ),
  instructions: lenient(cut(MAX_INSTRUCTIONS_LENGTH)),
  tools: z.array(z.unknown()),
  prompts: z.array(z.unknown()),
  resources: z.array(z.unknown()),
  resourceTemplates: z.array(z.unknown()),
  left: z.array(Left),
  /** Whether the remote server had more than was read. */
  truncated: z.boolean(),
})
export type Snapshot = z.infer<typeof Snapshot>

/** What is published of a remote server, times in ms since the epoch. */
export const PublishedUpstream = z.object({
  capabilities: UpstreamCapabilities,
  instructions: z.string().optional(),
  era: Era,
  /** When the lists were last read, as far as it was known when this was published. */
  refreshedAt: z.int(),
  /** Since when it does not answer; the lists are those of `refreshedAt`. */
  downSince: z.int().optional(),
})
export type PublishedUpstream = z.infer<typeof PublishedUpstream>

/** Whether two differ in more than the time of the last reading. */
export function differ(
  one: PublishedUpstream | undefined,
  other: PublishedUpstream | undefined,
): boolean {
  return withoutTime(one) !== withoutTime(other)
}

function withoutTime(upstream: PublishedUpstream | undefined): string {
  return JSON.stringify({ ...upstream, refreshedAt: undefined })
}

/** Whether something is offered, by the capability's name. */
export function offers({ capabilities }: PublishedUpstream, name: keyof UpstreamCapabilities) {
  return isObject(capabilities[name])
}
