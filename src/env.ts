/**
 * Bindings, and the settings, read once by a schema. A wrong setting fails the first request with a
 * message that names it.
 */
import * as z from 'zod'
import { OAuthClientSecrets, OAuthIssuers } from './callers/oauth-issuer.ts'
import { MIN_SESSION_SECRET_LENGTH } from './callers/session-jwt.ts'
import type { KvBindings } from './objects/kv.ts'
import type {
  ChannelBinding,
  DirectoryBinding,
  OrganizationBinding,
  SessionBinding,
} from './objects/resident.ts'
import type { WorldBindings } from './objects/world.ts'
import { checkResidence, flag, RESIDENCE } from './sealing/residence.ts'
import { SealKeys } from './sealing/seal-keys.ts'

const MIN_TOKEN_LENGTH = 24

export type Env = WorldBindings & { LIMITER: RateLimit } & KvBindings &
  OrganizationBinding &
  DirectoryBinding &
  SessionBinding &
  ChannelBinding &
  Readonly<Record<string, unknown>>

const list = z
  .string()
  .optional()
  .transform((text) =>
    (text ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  )

/** Requests a minute; absent: no limit. */
const limit = z
  .union([z.literal(''), z.coerce.number().int().min(1).max(6000)])
  .optional()
  .transform((perMinute) => (perMinute === '' ? undefined : perMinute))

const HttpOrigin = z
  .string()
  .refine(
    (text) => text === '' || (URL.canParse(text) && new URL(text).origin === text),
    'must be an origin such as https://mcp.example.com, without a path',
  )
  .optional()
  .transform((text) => (text === '' ? undefined : text))

export const Settings = z
  .object({
    OPERATOR_TOKEN: z
      .string()
      .min(MIN_TOKEN_LENGTH, `must have at least ${MIN_TOKEN_LENGTH} characters`),
    SEAL_KEYS: SealKeys,
    SESSION_JWT_SECRET: z
      .string()
      .refine(
        (text) => text === '' || text.length >= MIN_SESSION_SECRET_LENGTH,
        `must have at least ${MIN_SESSION_SECRET_LENGTH} characters`,
      )
      .optional()
      .transform((text) => (text === '' ? undefined : text)),
    OAUTH_ISSUERS: OAuthIssuers,
    OAUTH_CLIENT_SECRETS: OAuthClientSecrets,
    PUBLIC_URL: HttpOrigin,
    ...RESIDENCE,
    ALLOW_PRIVATE_UPSTREAMS: flag,
    ALLOWED_ORIGINS: list,
    INITIALIZE_LIMIT: z.coerce.number().int().min(1).max(6000).default(30),
    GATEWAY_LIMIT: limit,
    CONVAI_LIMIT: limit,
    STREAM_KEEPALIVE_SECONDS: z.coerce.number().int().min(1).max(25).default(20),
    STREAM_MAX_AGE_SECONDS: z.coerce.number().int().min(1).max(1800).default(900),
  })
  .refine((settings) => settings.DEVELOPMENT || !settings.ALLOW_PRIVATE_UPSTREAMS, {
    path: ['ALLOW_PRIVATE_UPSTREAMS'],
    message: 'is for DEVELOPMENT alone',
  })
  .refine((settings) => settings.OAUTH_ISSUERS.length === 0 || settings.PUBLIC_URL !== undefined, {
    path: ['OAUTH_ISSUERS'],
    message: 'needs PUBLIC_URL: tokens are for one URL',
  })
  .refine(
    (settings) => settings.OAUTH_ISSUERS.every(({ issuer }) => issuer !== settings.PUBLIC_URL),
    {
      path: ['OAUTH_ISSUERS'],
      message: 'must not name PUBLIC_URL, which session JWTs are of',
    },
  )
  .superRefine(checkResidence)
export type Settings = z.infer<typeof Settings>

/** A setting that is missing or wrong; the message names it and never its value. */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured'
}

/** Reads the settings, or throws `Misconfigured`. */
export function readSettings(env: Env): Settings {
  const settings = Settings.safeParse(env)
  if (settings.success) return settings.data
  const problems = settings.error.issues.map(({ path, message, code }) =>
    code === 'invalid_type' ? `${path.join('.')} is missing` : `${path.join('.')} ${message}`,
  )
  throw new Misconfigured(problems.join('; '))
}
