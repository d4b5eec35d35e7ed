/**
 * What convai may say of a server (`convai-api.md` §3): when it is made, and later. Members that we do not
 * know, or that cannot be changed later, are ignored as there. What is refused here says why at its place.
 */
import * as z from 'zod'
import { MAX_TOOLS } from '../../catalog/server-file.ts'
import { ApprovalPolicy, ServerSettings } from '../../catalog/server.ts'
import { HeaderName, isCredentialHeader, isHeaderValue } from '../../handlers/headers.ts'
import { OpenUrl } from '../../handlers/open-url.ts'
import { MetaName } from '../../handlers/remote.ts'
import { SecretName } from '../../handlers/secret.ts'
import { fillUrl, labelsIn, samplesOf, UrlWithVariables } from '../../handlers/url-variables.ts'
import { isLoopbackHost } from '../cors.ts'
import { ConnectionLocator, DynamicVariable, SecretLocator, VariableLocator } from './locators.ts'
import { SOUNDS, SPEECH, TimeoutSeconds, ToolConfig } from './tool-config-form.ts'

const MAX_MEMBERS = 50
const MAX_VALUE_LENGTH = 8192

const ToolApprovalHash = z.object({
  tool_name: ToolConfig.shape.tool_name,
  tool_hash: z.string().regex(/^[0-9a-f]{64}$/),
  approval_policy: z.enum(['auto_approved', 'requires_approval']).default('requires_approval'),
})

const Locator = [SecretLocator, DynamicVariable, VariableLocator] as const

const HeaderText = z
  .string()
  .max(MAX_VALUE_LENGTH)
  .refine(isHeaderValue, 'must be printable, without line ends')

const RequestHeaders = z
  .record(HeaderName, z.union([HeaderText, ...Locator]))
  .superRefine((headers, context) => {
    refuseTooMany(headers, context)
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value !== 'string' || !isCredentialHeader(name)) continue
      const message = 'is a credential: store it as a secret and give {"secret_id": "…"}'
      context.addIssue({ code: 'custom', path: [name], message })
    }
  })

const RequestMeta = z
  .record(
    MetaName,
    z.union([z.string().max(MAX_VALUE_LENGTH), z.number(), z.boolean(), ...Locator]),
  )
  .superRefine(refuseTooMany)

/** A secret by its id: one that comes sealed by somebody else cannot be opened here. */
const SecretToken = z
  .object({ secret_id: SecretName.optional(), encrypted_value: z.unknown().optional() })
  .transform(({ secret_id, encrypted_value }, context) => {
    if (secret_id !== undefined) return { secret_id }
    const message =
      encrypted_value === undefined
        ? 'must be {"secret_id": "…"}'
        : 'cannot be opened here; store the token as a secret and give {"secret_id": "…"}'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** What may be changed at any time; null clears what can be without a value. */
export const ConfigChange = z.object({
  approval_policy: ApprovalPolicy.nullish(),
  ...SPEECH,
  tool_call_sound: z.enum(SOUNDS).nullish(),
  response_timeout_secs: TimeoutSeconds.nullish(),
  request_headers: RequestHeaders.nullish(),
  request_meta: RequestMeta.nullish(),
  disable_compression: z.boolean().nullish(),
  secret_token: SecretToken.nullish(),
  auth_connection: ConnectionLocator.nullish(),
})
export type ConfigChange = z.infer<typeof ConfigChange>

/** What a new server is made of; in development it may be on this machine without TLS. */
function configForm(isDevelopment: boolean) {
  const Url = z.string().superRefine((url, context) => {
    const message = problemOfUrl(url, isDevelopment)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  return z.object({
    ...ConfigChange.shape,
    url: z.union([Url, SecretLocator]),
    name: ServerSettings.shape.name,
    description: z.string().max(10_000).nullish(),
    transport: z.enum(['SSE', 'STREAMABLE_HTTP']).nullish(),
    tool_approval_hashes: z
      .array(ToolApprovalHash)
      .max(MAX_TOOLS)
      .superRefine(refuseTwice)
      .nullish(),
    tool_config_overrides: z.array(ToolConfig).max(MAX_TOOLS).superRefine(refuseTwice).nullish(),
  })
}
export type Config = z.infer<ReturnType<typeof configForm>>

const bodyOf = (isDevelopment: boolean) => z.object({ config: configForm(isDevelopment) })
const BODIES = { deployed: bodyOf(false), development: bodyOf(true) }

/** The body of a request that makes a server. */
export function createBody({ DEVELOPMENT }: { DEVELOPMENT: boolean }) {
  return DEVELOPMENT ? BODIES.development : BODIES.deployed
}

export const ApprovalPolicyBody = z.object({ approval_policy: ApprovalPolicy })

function problemOfUrl(url: string, isDevelopment: boolean): string | undefined {
  const isLocal = isDevelopment && url.startsWith('http://') && isLoopback(samplesOf(url))
  if (!url.startsWith('https://') && !isLocal) return 'must begin with https://'
  if (/\{\{|\}\}/.test(fillUrl(url, () => ''))) {
    return 'may have no braces but those of variables, {{system__env_<label>}}'
  }
  const checked = (labelsIn(url).length === 0 ? OpenUrl : UrlWithVariables).safeParse(url)
  return checked.error?.issues[0]?.message
}

function isLoopback(urls: readonly string[]): boolean {
  return urls.length > 0 && urls.every((url) => isLoopbackHost(new URL(url).host))
}

function refuseTooMany(members: object, context: z.RefinementCtx): void {
  if (Object.keys(members).length <= MAX_MEMBERS) return
  context.addIssue({ code: 'custom', message: `may have ${MAX_MEMBERS} members` })
}

function refuseTwice(items: readonly { tool_name: string }[], context: z.RefinementCtx): void {
  const names = new Set<string>()
  for (const [index, { tool_name }] of items.entries()) {
    if (names.has(tool_name)) {
      context.addIssue({ code: 'custom', path: [index, 'tool_name'], message: 'stands twice' })
    }
    names.add(tool_name)
  }
}
