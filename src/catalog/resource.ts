/** Resources and templates as an operator writes them: MCP's members, and the text or blob itself. */
import * as z from 'zod'
import { isObject } from '../protocol/json-rpc.ts'
import { Icon, Meta } from '../protocol/content.ts'
import { MAX_URI_LENGTH, templateVariables } from '../protocol/uri-template.ts'
import { Placement, type Form } from './item.ts'
import { Completions } from './prompt.ts'

const MAX_VARIABLES = 10

const Described = {
  name: z.string().min(1).max(200),
  title: z.string().optional(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
  icons: z.array(Icon).optional(),
  _meta: Meta.optional(),
}

export const Resource = z.looseObject({
  uri: z
    .string()
    .max(MAX_URI_LENGTH)
    .refine((uri) => URL.canParse(uri) && uri.isWellFormed(), 'must be a URI'),
  size: z.int().min(0).optional(),
  ...Described,
})
export type Resource = z.infer<typeof Resource>

export const ResourceTemplate = z.looseObject({
  uriTemplate: z
    .string()
    .max(MAX_URI_LENGTH)
    .refine(
      (template) =>
        template.isWellFormed() &&
        (templateVariables(template)?.length ?? Infinity) <= MAX_VARIABLES,
      `must be a URI template of {name} and {+name}, each name once, at most ${MAX_VARIABLES}`,
    ),
  ...Described,
})
export type ResourceTemplate = z.infer<typeof ResourceTemplate>

const Body = { text: z.string().optional(), blob: z.base64().optional() }

export const ResourceBinding = z.strictObject({ ...Body, completions: Completions.optional() })
export type ResourceBinding = z.infer<typeof ResourceBinding>

const hasOneBody = (value: unknown) =>
  !isObject(value) || (value['text'] === undefined) !== (value['blob'] === undefined)
/** Told also where other fields are wrong. */
const ONE_BODY = { message: 'needs either text or blob', when: () => true }

export const ResourceInput = z
  .looseObject({ ...Resource.shape, ...Body, ...Placement })
  .refine(hasOneBody, ONE_BODY)

export const ResourceTemplateInput = z
  .looseObject({ ...ResourceTemplate.shape, ...ResourceBinding.shape, ...Placement })
  .refine(hasOneBody, ONE_BODY)

export const RESOURCE_FORM: Form = {
  kind: 'resources',
  schema: ResourceInput,
  name: 'uri',
  serving: ['text', 'blob'],
}

export const TEMPLATE_FORM: Form = {
  kind: 'resourceTemplates',
  schema: ResourceTemplateInput,
  name: 'uriTemplate',
  serving: ['text', 'blob', 'completions'],
}
