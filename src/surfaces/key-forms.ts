/** Keys as requests make them and answers show them, on the admin API and by `manage__*` tools. */
import * as z from 'zod'
import { ROLES } from '../callers/principal.ts'
import { KEY_KINDS } from '../callers/secret.ts'
import { ServerId, ToolName } from '../catalog/names.ts'

const LAST_MS = Date.UTC(9999) // later years have no four digits
const MAX_MONTHLY_CAP = 1_000_000_000

const Common = {
  name: z.string().trim().min(1).max(200),
  expiresAt: z.iso
    .datetime({ offset: true })
    // What is no time at all is told once, by its form.
    .refine((at) => !(Date.parse(at) <= Date.now()), 'must be in the future')
    .refine((at) => !(Date.parse(at) > LAST_MS), 'must be before the year 9999')
    .optional(),
}
const Environment = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the name of an environment')
const OfPrincipal = {
  ...Common,
  environment: Environment.optional().meta({ description: 'The environment it is bound to' }),
  monthlyCap: z
    .int()
    .min(0)
    .max(MAX_MONTHLY_CAP)
    .optional()
    .meta({ description: 'Calls in a calendar month, UTC; absent: no cap' }),
}

/** What a key is made of. */
export const KeyBody = z.discriminatedUnion('kind', [
  z.strictObject({
    ...Common,
    kind: z.literal('server').default('server'),
    server: ServerId.meta({ description: 'The server the key opens' }),
    tools: z
      .array(ToolName)
      .max(10_000)
      .optional()
      .meta({ description: 'The tools it sees; absent: all' }),
  }),
  z.strictObject({
    ...OfPrincipal,
    kind: z.literal('member'),
    principal: z.string().max(100).optional().meta({
      description: 'The member; absent: oneself, or a new member of the name and role',
    }),
    role: z.enum(ROLES).optional().meta({ description: 'Of a new member; default: member' }),
  }),
  z.strictObject({
    ...OfPrincipal,
    kind: z.literal('agent'),
    principal: z.string().max(100).optional().meta({
      description: 'The agent; absent: a new one of the name',
    }),
  }),
])
export type KeyBody = z.infer<typeof KeyBody>

/** A key as answers have it: without its secret. */
export const KeyAnswer = z.strictObject({
  id: z.string(),
  kind: z.enum(KEY_KINDS),
  name: z.string(),
  server: ServerId.optional(),
  tools: z.array(ToolName).optional(),
  principal: z.string().optional().meta({ description: 'Id of the member or agent' }),
  environment: Environment.optional(),
  monthlyCap: z.int().optional(),
  lastFour: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
})

/** A key that was just made, or given another secret. */
export const NewKeyAnswer = KeyAnswer.extend({
  secret: z.string().meta({ description: 'Answered here and nowhere else' }),
})
