/** How an outbound request is authorized: always by secrets of the organization or the account, by name. */
import * as z from 'zod'
import { HeaderName } from './headers.ts'
import { OpenUrl } from './open-url.ts'
import { OpenOrSecret, Reference } from './secret.ts'

const OAuth2 = z
  .strictObject({
    type: z.literal('oauth2'),
    tokenUrl: OpenUrl,
    clientId: OpenOrSecret,
    clientSecret: Reference,
    scope: z.string().max(1000).optional(),
    audience: z.string().max(1000).optional(),
    resource: z.string().max(2048).optional(),
    /** Where the client's credentials go in the request for a token. */
    clientAuth: z.enum(['basic', 'body']).default('basic'),
  })
  .meta({
    description: 'OAuth 2 client credentials; the token is kept until shortly before its end',
  })

export const Auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: Reference }),
  z.strictObject({ type: z.literal('header'), name: HeaderName, value: Reference }),
  z.strictObject({
    type: z.literal('query'),
    name: z.string().min(1).max(100),
    value: Reference,
  }),
  z.strictObject({ type: z.literal('basic'), username: OpenOrSecret, password: Reference }),
  OAuth2,
])
export type Auth = z.infer<typeof Auth>
export type OAuth2 = z.infer<typeof OAuth2>
