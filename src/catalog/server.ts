/** The settings of a server we serve: what an operator may say about it beside its items. */
import * as z from 'zod'
import { requireValid } from './issues.ts'
import { Slug } from './names.ts'

/** 6,000 a minute is what the one rate-limit binding counts (`design.md` §7). */
export const MAX_RATE_LIMIT = 6000

const Origin = z
  .string()
  .max(300)
  .refine(isOrigin, 'must be an origin such as https://app.example.com, or null')

export const ServerSettings = z.strictObject({
  name: z.string().trim().min(1).max(200).meta({ description: 'Shown to people and clients' }),
  slug: Slug.meta({ description: 'First part of the path; unique in the organization' }),
  description: z.string().max(10_000).optional(),
  instructions: z.string().max(100_000).optional().meta({
    description: 'Given to clients by initialize and server/discover',
  }),
  status: z.enum(['active', 'paused', 'draft']).default('active'),
  auth: z
    .enum(['none', 'key'])
    .default('none')
    .meta({ description: 'key: a server key is required' }),
  vanity: z.boolean().default(false).meta({
    description: 'Also served at /mcp/{slug}; the slug is then unique in the deployment',
  }),
  origins: z.array(Origin).max(100).optional().meta({
    description: 'Origins that browsers may call from; absent: any http(s) origin',
  }),
  rateLimit: z.int().min(1).max(MAX_RATE_LIMIT).optional().meta({
    description: 'Messages a minute for each key, or for each address where there is none',
  }),
  pageSize: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: 'Absent: lists have one page' }),
  ttlMs: z.int().min(0).max(86_400_000).default(30_000).meta({
    description: 'How long a client may keep a list, in milliseconds',
  }),
  notifications: z.boolean().default(true).meta({
    description: 'Whether clients may listen for changes of the lists',
  }),
  sessionIdleSeconds: z.int().min(1).max(86_400).default(3600).meta({
    description: 'When a session that nothing is heard of ends',
  }),
})
export type ServerSettings = z.infer<typeof ServerSettings>

/** A change of settings: members given replace, `null` takes an optional one back to its default. */
export const SettingsPatch = z.strictObject(
  Object.fromEntries(
    Object.entries(ServerSettings.shape).map(([key, schema]) => [
      key,
      // Without its default, which would be filled in for a member that the patch does not name.
      z.optional(z.nullable(schema instanceof z.ZodDefault ? schema.unwrap() : schema)),
    ]),
  ),
)
export type SettingsPatch = Readonly<Record<string, unknown>>

/** The settings after a change, or 422 naming the fields that do not fit. */
export function patchSettings(settings: ServerSettings, patch: SettingsPatch): ServerSettings {
  const next = Object.entries({ ...settings, ...patch }).filter(([, value]) => value !== null)
  return requireValid(ServerSettings, Object.fromEntries(next))
}

function isOrigin(text: string): boolean {
  if (text === 'null') return true
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text)
}
