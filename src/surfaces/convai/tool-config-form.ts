/**
 * What convai may say of one tool of a server (`convai-api.md` §5). Members that we do not know are
 * ignored, as there; null is what is not said.
 */
import * as z from 'zod'
import { readJsonPath } from './json-path.ts'

const MAX_INPUTS = 100
const MAX_LIST_LENGTH = 100
const MAX_TOOL_NAME_LENGTH = 1000
const MAX_POINTER_LENGTH = 500
const MAX_TEXT_LENGTH = 20_000
const MAX_NAME_LENGTH = 1000

export const SOUNDS = ['typing', 'elevator1', 'elevator2', 'elevator3', 'elevator4'] as const

/** How an agent speaks around calls: kept and given back, since nobody speaks here. */
export const SPEECH = {
  force_pre_tool_speech: z.boolean().nullish(),
  pre_tool_speech: z.enum(['auto', 'force', 'off']).nullish(),
  disable_interruptions: z.boolean().nullish(),
  interruption_mode: z
    .enum(['allow', 'disable_during_tool', 'disable_during_tool_and_turn'])
    .nullish(),
  tool_call_sound_behavior: z.enum(['auto', 'always']).nullish(),
  execution_mode: z.enum(['immediate', 'post_tool_speech', 'async']).nullish(),
}

export const TimeoutSeconds = z.int().min(5).max(300)

const Name = z.string().min(1).max(MAX_NAME_LENGTH)
const Text = z.string().max(MAX_TEXT_LENGTH)

const Assignment = z.object({
  source: z.literal('response').default('response'),
  dynamic_variable: Name,
  value_path: Name,
  sanitize: z.boolean().default(false),
  preserve_native_type: z.boolean().default(false),
})

const Evaluation = z.discriminatedUnion('type', [
  z.object({ type: z.literal('anything') }),
  z.object({ type: z.literal('exact'), expected_value: Text }),
  z.object({ type: z.literal('llm'), description: Text }),
  z.object({ type: z.literal('regex'), pattern: Text }),
])

const Mock = z.object({
  mock_result: Text,
  parameter_conditions: z
    .array(z.object({ path: Name, eval: Evaluation }))
    .max(MAX_LIST_LENGTH)
    .default([]),
  is_error: z.boolean().default(false),
})

/** A JSON value, of the type that RPC between objects has for it. */
const Constant = z.json() as z.ZodType<string | number | boolean | null | object>

const InputOverride = z.discriminatedUnion('source', [
  z.object({ source: z.literal('constant'), constant_value: Constant.default(null) }),
  z.object({ source: z.literal('dynamic_variable'), dynamic_variable: Name }),
  z.object({ source: z.literal('llm'), prompt: Text.nullish() }),
  z.object({ source: z.literal('omit') }),
])
export type InputOverride = z.infer<typeof InputOverride>

const JsonPath = z
  .string()
  .refine(isPath, 'must be a path to one input, such as $.filter.owner or items[0]')

const InputOverrides = z.record(JsonPath, InputOverride).superRefine((overrides, context) => {
  const paths = Object.keys(overrides)
  if (paths.length > MAX_INPUTS) {
    context.addIssue({ code: 'custom', message: `may have ${MAX_INPUTS} members` })
  }
  const pointers = paths.map(readJsonPath)
  for (const [index, path] of paths.entries()) {
    const first = pointers.indexOf(pointers[index])
    if (first === index) continue
    const message = `is the same input as ${paths[first]}`
    context.addIssue({ code: 'custom', path: [path], message })
  }
})

export const ToolConfigChange = z.object({
  ...SPEECH,
  tool_call_sound: z.enum([...SOUNDS, 'off']).nullish(),
  response_timeout_secs: TimeoutSeconds.nullish(),
  assignments: z.array(Assignment).max(MAX_LIST_LENGTH).nullish(),
  input_overrides: InputOverrides.nullish(),
  response_mocks: z.array(Mock).max(MAX_LIST_LENGTH).nullish(),
})
export type ToolConfigChange = z.infer<typeof ToolConfigChange>

/** The name of a tool at its remote server; what is stored of another kind would be another name. */
export const RemoteToolName = z
  .string()
  .min(1)
  .max(MAX_TOOL_NAME_LENGTH)
  .refine((name) => name.isWellFormed(), 'must be well-formed Unicode')

export const ToolConfig = z.object({
  tool_name: RemoteToolName.refine(
    (name) => name !== '__proto__',
    'cannot be a member of an object',
  ),
  ...ToolConfigChange.shape,
})
export type ToolConfig = z.infer<typeof ToolConfig>

function isPath(path: string): boolean {
  const pointer = readJsonPath(path)
  return pointer !== undefined && pointer.length > 1 && pointer.length <= MAX_POINTER_LENGTH
}
