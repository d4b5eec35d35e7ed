/**
 * What makes a server remote: where the MCP server behind it is and how it is spoken to, and what
 * binds one of its tools. What an operator changed of those stands in catalog/overrides.ts.
 */
import * as z from 'zod'
import { isReservedMeta } from '../protocol/envelope.ts'
import { Auth } from './auth.ts'
import { headersOf, type ConstantHeaders } from './headers.ts'
import { MAX_TIMEOUT_SECONDS } from './http.ts'
import { OpenUrl } from './open-url.ts'
import { OpenOrSecret, SecretReference, VariableReference } from './secret.ts'
import { UrlWithVariables } from './url-variables.ts'
import { ConnectionId } from './variable.ts'

export const DEFAULT_REMOTE_TIMEOUT_SECONDS = 60
export const DEFAULT_REFRESH_SECONDS = 600

/** A tool of a remote server, called there by the name it has there. */
export const McpHandler = z.strictObject({
  kind: z.literal('mcp').meta({ description: 'A tool of a remote MCP server' }),
  name: z.string().min(1).max(1000).meta({ description: 'Its name there' }),
})
export type McpHandler = z.infer<typeof McpHandler>

const MAX_META_MEMBERS = 50

/** An auth connection of the organization, by id or as an environment has it. */
const ConnectionAuth = z.strictObject({
  type: z.literal('connection'),
  connection: z.union([ConnectionId, VariableReference]),
})

const MetaValue = z.union([
  z.string().max(8192),
  z.number(),
  z.boolean(),
  SecretReference,
  VariableReference,
])

/** A member of `_meta` that is nobody else's. */
export const MetaName = z
  .string()
  .min(1)
  .max(300)
  .refine((name) => !isReservedMeta(name), 'is set by the protocol')
  .refine((name) => name !== '__proto__', 'cannot be a member of an object')

/** Further members of `_meta` of calls. */
const Meta = z
  .record(MetaName, MetaValue)
  .refine(
    (all) => Object.keys(all).length <= MAX_META_MEMBERS,
    `may have ${MAX_META_MEMBERS} members`,
  )

/** A remote server as an operator writes it: what differs by environment stands for itself. */
export const Remote = z.strictObject({
  url: z
    .union([OpenUrl, UrlWithVariables, SecretReference])
    .meta({ description: 'Its MCP endpoint; `{{system__env_<label>}}` in it is a variable' }),
  transport: z.enum(['auto', 'sse']).default('auto').meta({
    description:
      'auto: Streamable HTTP, of whichever era; sse: HTTP+SSE of 2024-11-05 where it answers nothing newer',
  }),
  headers: headersOf(z.union([OpenOrSecret, VariableReference])).optional(),
  auth: z.union([Auth, ConnectionAuth]).default({ type: 'none' }),
  meta: Meta.optional().meta({ description: 'Sent as members of `_meta` with every call' }),
  compression: z.boolean().default(true).meta({
    description: 'Whether its answers may be compressed',
  }),
  timeoutSeconds: z
    .number()
    .min(0.1)
    .max(MAX_TIMEOUT_SECONDS)
    .default(DEFAULT_REMOTE_TIMEOUT_SECONDS),
  refreshSeconds: z.int().min(30).max(86_400).default(DEFAULT_REFRESH_SECONDS).meta({
    description: 'How often its lists are read again, at the latest',
  }),
  watchLists: z.boolean().default(false).meta({
    description:
      'Hold a stream to it while clients listen, so that changes of its lists are told at once',
  }),
})
export type Remote = z.infer<typeof Remote>
/** As it is stored: defaults are filled in where it is used. */
export type StoredRemote = z.input<typeof Remote>

export type StoredAuth = z.input<typeof Auth>

/** A remote server as it is in one environment: variables and connection are put in their places. */
export type ResolvedRemote = Omit<StoredRemote, 'url' | 'headers' | 'auth' | 'meta'> & {
  url: string | SecretReference
  headers?: ConstantHeaders
  auth?: StoredAuth
  meta?: Readonly<Record<string, string | number | boolean | SecretReference>>
}

/** What tells one URL from another without opening a secret: the URL itself, or which secret it is. */
export function nameOfUrl({ url }: Pick<ResolvedRemote, 'url'>): string {
  return typeof url === 'string' ? url : JSON.stringify(url)
}
