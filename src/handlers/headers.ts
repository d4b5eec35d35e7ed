/** Constant headers of an outbound request, as an operator may write them. */
import * as z from 'zod'
import { OpenOrSecret } from './secret.ts'

const MAX_HEADERS = 50

/** Names that the transport or the protocol sets itself. */
const RESERVED = new Set(
  `host content-length transfer-encoding connection upgrade te trailer keep-alive expect
   accept-encoding cookie2 proxy-authorization proxy-connection cf-connecting-ip x-forwarded-for
   rollcall-hops mcp-session-id mcp-protocol-version mcp-method mcp-name last-event-id`.split(
    /\s+/,
  ),
)

/** Headers whose value is a credential, which must not stand in the open. */
const CREDENTIALS = new Set(['authorization', 'cookie', 'x-api-key', 'api-key', 'x-auth-token'])

/** A header that an operator may set: a token, and none of the transport's own. */
export const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be a header name')
  .refine((name) => !isReservedHeader(name), 'is set by the transport')

/** Headers by name, their values as the schema says; a credential never in the open. */
export function headersOf<T extends z.ZodType>(value: T) {
  return z.record(HeaderName, value).superRefine((headers, context) => {
    if (Object.keys(headers).length > MAX_HEADERS) {
      context.addIssue({ code: 'custom', message: `may have ${MAX_HEADERS} headers` })
    }
    for (const [name, text] of Object.entries(headers)) {
      if (typeof text !== 'string') continue
      const refuse = (message: string) =>
        context.addIssue({ code: 'custom', path: [name], message })
      if (!isHeaderValue(text)) refuse('must be printable, without line ends')
      if (isCredentialHeader(name)) refuse('must be a secret: {"secret":"name"}')
    }
  })
}

/** Headers that are the same in every environment. */
export const ConstantHeaders = headersOf(OpenOrSecret)
export type ConstantHeaders = z.infer<typeof ConstantHeaders>

/** Whether a text can stand in a header as it is: visible Latin-1, no line ends, no blanks around. */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7E\x80-\xFF]*$/.test(text) && text.trim() === text
}

/** Whether the value of a header is a credential, whatever it is. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIALS.has(name.toLowerCase())
}

/** Whether a header is the transport's or the protocol's own to set. */
function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return RESERVED.has(lower) || /^(?:mcp-param-|sec-|cf-)/.test(lower)
}
