/**
 * An organization's gateway as it is published: every capability that its servers are shown as, with
 * what everybody in the organization shares. Its tools are published in the form of one server
 * (published.ts), as `<capability>__<operation>`, with this beside them.
 *
 * KV: `surface:{organization}`. It does not grow with the number of members.
 */
import * as z from 'zod'

/** Features of an organization, off unless they are on. */
export const Features = z.strictObject({
  approvals: z.boolean().default(false),
  connectLinks: z.boolean().default(false),
  feedback: z.boolean().default(false),
})
export type Features = z.infer<typeof Features>

/** Capabilities that are off, whole or by operation; what is not named is on. */
export const CapabilitySettings = z.record(
  z.string().min(1).max(100),
  z.union([z.boolean(), z.record(z.string().min(1).max(100), z.boolean())]),
)
export type CapabilitySettings = z.infer<typeof CapabilitySettings>

/** One server as the gateway shows it. */
export const Capability = z.strictObject({
  /** `notion`, or `org__<slug>`; what stands before the `__` of its tools. */
  id: z.string(),
  server: z.string(),
  /** Whether a caller needs an account: it is a connector then. */
  account: z.enum(['none', 'required']),
  kind: z.enum(['hosted', 'remote']),
})
export type Capability = z.infer<typeof Capability>

/** An account that was shared with everybody in the organization. */
export const SharedAccount = z.strictObject({
  account: z.string(),
  server: z.string(),
  /** A member's own: agents do not see it. */
  membersOnly: z.literal(true).optional(),
  /** The tools it was shared for; absent: all. */
  tools: z.array(z.string()).optional(),
})
export type SharedAccount = z.infer<typeof SharedAccount>

/** What an environment has of a server. */
export const EnvironmentEntry = z.strictObject({
  server: z.string(),
  /** The one account that is used in it; absent: any that the caller sees. */
  account: z.string().optional(),
  /** The tools it allows; absent: all. */
  tools: z.array(z.string()).optional(),
})
export type EnvironmentEntry = z.infer<typeof EnvironmentEntry>

/** What stands in the header of a published surface beside its tools. */
export const Surface = z.strictObject({
  status: z.enum(['active', 'suspended']),
  features: Features,
  /** Of the organization. */
  settings: CapabilitySettings,
  /** In the order of their ids. */
  capabilities: z.array(Capability),
  shared: z.array(SharedAccount),
  environments: z.record(z.string(), z.array(EnvironmentEntry)),
})
export type Surface = z.infer<typeof Surface>
