/**
 * The HTTP handler: one request to an API, described as data, and what is made of its answer
 * (`design.md` §3). Running it is upstream/http's work.
 */
import * as z from 'zod'
import { Auth } from './auth.ts'
import { ConstantHeaders, HeaderName } from './headers.ts'
import { OpenOrSecret } from './secret.ts'
import { problemOfUrlTemplate } from './url-template.ts'

const MAX_PARAMETERS = 200
const MIB = 1024 * 1024
export const DEFAULT_TIMEOUT_SECONDS = 30
export const MAX_TIMEOUT_SECONDS = 300
export const DEFAULT_MAX_RESPONSE_BYTES = MIB

/** A JSON pointer (RFC 6901); '' is the whole document. */
export const JsonPointer = z
  .string()
  .max(500)
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, 'must be a JSON pointer such as /data/items')

const UrlTemplate = z
  .string()
  .max(4096)
  .superRefine((url, context) => {
    const message = problemOfUrlTemplate(url)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

const Destination = z.discriminatedUnion('in', [
  z.strictObject({ in: z.literal('path') }),
  z.strictObject({ in: z.literal('query'), name: z.string().min(1).max(200).optional() }),
  z.strictObject({ in: z.literal('header'), name: HeaderName.optional() }),
  z.strictObject({ in: z.literal('body'), name: z.string().min(1).max(200).optional() }),
])
export type Destination = z.infer<typeof Destination>

/** What of an answer the caller gets; without it, all of it. */
export const ResponseShape = z.strictObject({
  pointer: JsonPointer.optional().meta({ description: 'The part of a JSON answer to begin at' }),
  fields: z
    .array(JsonPointer.min(2))
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'The members of it to keep; of each item where it is an array' }),
  text: z
    .string()
    .max(20_000)
    .optional()
    .meta({ description: 'The text to answer, with {/json/pointer} filled in from what is kept' }),
})
export type ResponseShape = z.infer<typeof ResponseShape>

export const HttpHandler = z.strictObject({
  kind: z.literal('http').meta({ description: 'One HTTP request' }),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  url: UrlTemplate.meta({ description: 'With {argument} in its path, percent-encoded' }),
  arguments: z
    .record(z.string(), Destination)
    .refine(
      (all) => Object.keys(all).length <= MAX_PARAMETERS,
      `may have ${MAX_PARAMETERS} members`,
    )
    .optional()
    .meta({
      description:
        'Where arguments go. Default: the path where the URL names it, else the query for GET, HEAD and DELETE, else the body',
    }),
  body: z.enum(['json', 'form']).default('json'),
  headers: ConstantHeaders.optional(),
  query: z.record(z.string().min(1).max(200), OpenOrSecret).optional(),
  auth: Auth.default({ type: 'none' }),
  timeoutSeconds: z.number().min(0.1).max(MAX_TIMEOUT_SECONDS).default(DEFAULT_TIMEOUT_SECONDS),
  retries: z.int().min(0).max(5).default(0).meta({
    description: 'Of GET, HEAD, PUT and DELETE, after no answer, 408, 429, 502, 503 or 504',
  }),
  maxResponseBytes: z
    .int()
    .min(1)
    .max(16 * MIB)
    .default(DEFAULT_MAX_RESPONSE_BYTES),
  cacheSeconds: z.int().min(0).max(86_400).default(0).meta({
    description: 'How long an answer to a GET may be given again, in this isolate',
  }),
  response: ResponseShape.optional(),
})
export type HttpHandler = z.infer<typeof HttpHandler>
/** As it is stored: defaults are filled in when it runs. */
export type HttpHandlerInput = z.input<typeof HttpHandler>
