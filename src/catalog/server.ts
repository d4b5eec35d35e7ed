/**
 * The settings of a server we serve: what an operator may say about it beside its items. Of a remote
 * server that is also where it is, and what was changed of what it offers (`design.md` §3).
 */
import * as z from 'zod'
import { Remote } from '../handlers/remote.ts'
import { secretsOf, usesAccount, usesVariables } from '../handlers/secret.ts'
import type { Detail } from '../protocol/http-error.ts'
import { Connect, problemsOfConnect, Scope } from './connect.ts'
import { invalid, requireValid } from './issues.ts'
import { CapabilityId, Slug } from './names.ts'
import { Overrides, problemsOfOverrides, settledOverrides } from './overrides.ts'

/** 6,000 a minute is what the one rate-limit binding counts (`design.md` §7). */
export const MAX_RATE_LIMIT = 6000

const Origin = z
  .string()
  .max(300)
  .refine(isOrigin, 'must be an origin such as https://app.example.com, or null')

/** Whether what a remote server offers is shown and called without a person's word (`surfaces.md` D19). */
export const ApprovalPolicy = z.enum([
  'auto_approve_all',
  'require_approval_all',
  'require_approval_per_tool',
])
export type ApprovalPolicy = z.infer<typeof ApprovalPolicy>

export const ServerSettings = z.strictObject({
  name: z.string().trim().min(1).max(200).meta({ description: 'Shown to people and clients' }),
  slug: Slug.meta({ description: 'First part of the path; unique in the organization' }),
  description: z.string().max(10_000).optional(),
  instructions: z.string().max(100_000).optional().meta({
    description: 'Given to clients by initialize and server/discover',
  }),
  status: z.enum(['active', 'paused', 'draft']).default('active'),
  auth: z.enum(['none', 'key', 'oauth']).default('none').meta({
    description: 'key: a server key is required; oauth: an OAuth access token of a member',
  }),
  scopes: z.array(Scope).min(1).max(50).optional().meta({
    description: 'With auth oauth: the scopes that a token must have',
  }),
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
  kind: z.enum(['hosted', 'remote']).optional().meta({
    description: 'hosted, the default: its items are here; remote: they are read from `remote`',
  }),
  hosted: z.boolean().optional().meta({
    description:
      'Whether clients find it at its endpoint. Default: true of hosted, false of remote',
  }),
  account: z.enum(['none', 'required']).optional().meta({
    description:
      'required: calls are made with the credential of an account of the caller. Default: none',
  }),
  connect: Connect.optional().meta({
    description:
      'What a person is asked for who connects an account by a link. Default: by what handlers refer to',
  }),
  gateway: z
    .union([CapabilityId, z.literal(true)])
    .optional()
    .meta({
      description:
        'Shown at /mcp: its tools as <capability>__<tool>, or with true as org__<slug>__<tool>',
    }),
  remote: Remote.optional().meta({ description: 'The MCP server that a remote server stands for' }),
  approvalPolicy: ApprovalPolicy.optional().meta({
    description:
      'Which tools of a remote server are listed, and whether a call waits for a person. Default: auto_approve_all',
  }),
  overrides: Overrides.optional(),
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
  const checked = requireValid(ServerSettings, Object.fromEntries(next))
  requireSameKind(settings, checked)
  return requireCoherent(checked)
}

/** What decides where a server's items come from and who sees them. */
type Nature = Pick<
  ServerSettings,
  | 'kind'
  | 'hosted'
  | 'remote'
  | 'overrides'
  | 'approvalPolicy'
  | 'auth'
  | 'scopes'
  | 'account'
  | 'connect'
>

export function isRemote({ kind }: Pick<Nature, 'kind'>): boolean {
  return kind === 'remote'
}

/** Whether clients find a server at its endpoint. */
export function hasHostedFace(settings: Pick<Nature, 'kind' | 'hosted'>): boolean {
  return settings.hosted ?? !isRemote(settings)
}

/** Whether a person's word is needed for what a remote server offers. */
export function approvalPolicyOf({
  approvalPolicy = 'auto_approve_all',
}: Pick<Nature, 'approvalPolicy'>): ApprovalPolicy {
  return approvalPolicy
}

/** Whether a call needs an account: the server is a connector then. */
export function needsAccount({ account }: Pick<ServerSettings, 'account'>): boolean {
  return account === 'required'
}

/** What a server is on the gateway; undefined where it is not shown there. */
export function capabilityOf({
  gateway,
  slug,
  status,
}: Pick<ServerSettings, 'gateway' | 'slug' | 'status'>): string | undefined {
  if (gateway === undefined || status !== 'active') return undefined
  return gateway === true ? `org__${slug}` : gateway
}

/** Throws 422: a server that is there stays of its kind. */
export function requireSameKind(before: ServerSettings, after: ServerSettings): void {
  if (isRemote(before) === isRemote(after)) return
  throw invalid([{ path: 'kind', message: 'cannot be changed; make another server' }])
}

/** The settings without what only says a default, or 422 where members do not fit each other. */
export function requireCoherent(settings: ServerSettings): ServerSettings {
  const problems = problemsOfSettings(settings)
  if (problems.length > 0) throw invalid(problems)
  return settled(settings)
}

/** What does not fit together in settings whose members are each right. */
export function problemsOfSettings(settings: Nature): Detail[] {
  const { auth, scopes } = settings
  const ofOAuth =
    scopes === undefined || auth === 'oauth'
      ? []
      : [{ path: 'scopes', message: 'are of servers with auth "oauth" alone' }]
  const open =
    needsAccount(settings) && auth === 'none' && hasHostedFace(settings)
      ? [{ path: 'auth', message: 'must not be none: calls are made with an account' }]
      : []
  const ofConnect = problemsOfConnect(settings, needsAccount(settings))
  return [...ofOAuth, ...open, ...ofConnect, ...problemsOfKind(settings)]
}

function problemsOfKind(settings: Nature): Detail[] {
  const { remote, overrides, approvalPolicy } = settings
  if (!isRemote(settings)) {
    const message = 'is of servers of kind "remote" alone'
    return Object.entries({ remote, overrides, approvalPolicy })
      .filter(([, value]) => value !== undefined)
      .map(([path]) => ({ path, message }))
  }
  return [
    ...(remote && usesAccount(remote) && !needsAccount(settings)
      ? [{ path: 'account', message: 'must be required: `remote` refers to the account' }]
      : []),
    ...(remote === undefined ? [{ path: 'remote', message: 'is missing' }] : []),
    ...(isOpenWithSecret(settings)
      ? [{ path: 'auth', message: 'must not be none: the remote server is called with a secret' }]
      : []),
    ...problemsOfOverrides(overrides ?? {}),
  ]
}

/** Whether anybody could spend a secret of the organization on the remote server. */
function isOpenWithSecret(settings: Nature): boolean {
  const { auth, remote } = settings
  const isOpen = auth === 'none' && hasHostedFace(settings)
  // What a variable or a connection stands for may be a secret.
  return isOpen && remote !== undefined && (secretsOf(remote).length > 0 || usesVariables(remote))
}

/** The same settings, said in the one way in which they are stored. */
export function settled(settings: ServerSettings): ServerSettings {
  const { kind: _, hosted, account: _a, remote, overrides, approvalPolicy, ...rest } = settings
  const changed = settledOverrides(overrides ?? {})
  const face = isRemote(settings) === hosted ? { hosted } : {}
  return {
    ...rest,
    ...(isRemote(settings) && { kind: 'remote' as const }),
    ...face,
    ...(needsAccount(settings) && { account: 'required' as const }),
    ...(remote && { remote }),
    ...(approvalPolicyOf(settings) !== 'auto_approve_all' && { approvalPolicy }),
    ...(Object.keys(changed).length > 0 && { overrides: changed }),
  }
}

function isOrigin(text: string): boolean {
  if (text === 'null') return true
  return URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text)
}
