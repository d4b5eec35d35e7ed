/** Prompts as an operator writes them: MCP's members, the messages, and values to complete with. */
import * as z from 'zod'
import { ContentBlock, Icon, Meta } from '../protocol/content.ts'
import { Placement, type Form } from './item.ts'

const MAX_VALUES = 1000

/** Values to offer for each argument or template variable. */
export const Completions = z.record(z.string(), z.array(z.string().max(1000)).max(MAX_VALUES))

export const Prompt = z.looseObject({
  name: z
    .string()
    .min(1)
    .max(128)
    .refine((name) => name.isWellFormed(), 'must be well-formed Unicode'),
  title: z.string().optional(),
  description: z.string().optional(),
  arguments: z
    .array(
      z.looseObject({
        name: z.string().min(1).max(128),
        title: z.string().optional(),
        description: z.string().optional(),
        required: z.boolean().optional(),
      }),
    )
    .max(100)
    .optional(),
  icons: z.array(Icon).optional(),
  _meta: Meta.optional(),
})
export type Prompt = z.infer<typeof Prompt>

const PromptMessage = z.looseObject({ role: z.enum(['user', 'assistant']), content: ContentBlock })
export type PromptMessage = z.infer<typeof PromptMessage>

export const PromptBinding = z.strictObject({
  messages: z
    .array(PromptMessage)
    .max(100)
    .meta({ description: '{argument} is filled in the texts' }),
  completions: Completions.optional(),
})
export type PromptBinding = z.infer<typeof PromptBinding>

export const PromptInput = z.looseObject({ ...Prompt.shape, ...PromptBinding.shape, ...Placement })

export const PROMPT_FORM: Form = {
  kind: 'prompts',
  schema: PromptInput,
  name: 'name',
  serving: ['messages', 'completions'],
}
