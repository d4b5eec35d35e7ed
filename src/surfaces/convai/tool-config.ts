/**
 * What convai says of single tools, between its words and ours: constant and omitted inputs and time-outs
 * are overrides in the server's settings and act on calls; all else is kept as it was given.
 */
import type { InputOverrides, Overrides, ToolOverride } from '../../catalog/overrides.ts'
import { given, type Stored, type ToolExtras } from './extras.ts'
import { formatJsonPath, readJsonPath } from './json-path.ts'
import { timeoutOf } from './timeout.ts'
import type { InputOverride, ToolConfigChange } from './tool-config-form.ts'

/** All of it, as convai answers it: null where a tool does as its server says. */
export function toolConfigs({ settings: { overrides = {} }, extras: { tools = [] } }: Stored) {
  const named = new Set(tools.map(({ tool_name }) => tool_name))
  const others = Object.entries(overrides)
    .filter(([name]) => !named.has(name))
    .filter(
      ([, { inputs, timeoutSeconds }]) => inputs !== undefined || timeoutSeconds !== undefined,
    )
    .map(([tool_name]): ToolExtras => ({ tool_name }))
  return [...tools, ...others].map((tool) => configOf(tool, overrideOf(overrides, tool.tool_name)))
}

/** What is said of one tool; undefined where nothing is. */
export function toolConfig(stored: Stored, name: string) {
  return toolConfigs(stored).find(({ tool_name }) => tool_name === name)
}

/** Says something of a tool: what is absent stays, null takes back. */
export function putToolConfig(stored: Stored, name: string, change: ToolConfigChange): Stored {
  const { tools = [] } = stored.extras
  const { response_timeout_secs: timeout, input_overrides: overrides, ...rest } = change
  const inputs = overrides === undefined ? undefined : partInputs(overrides ?? {})
  const before = tools.find(({ tool_name }) => tool_name === name)
  const after = { ...given({ ...before, ...rest, ...inputs?.kept }), tool_name: name }
  const acting = given({
    ...overrideOf(stored.settings.overrides, name),
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
    ...(inputs && { inputs: inputs.acting }),
  })
  const others =
    before === undefined ? [...tools, after] : tools.map((t) => (t === before ? after : t))
  return withTools(stored, others, name, acting)
}

/** Takes back all that convai can say of a tool. */
export function dropToolConfig(stored: Stored, name: string): Stored {
  const tools = (stored.extras.tools ?? []).filter(({ tool_name }) => tool_name !== name)
  const { inputs: _, timeoutSeconds: _t, ...rest } = overrideOf(stored.settings.overrides, name)
  return withTools(stored, tools, name, rest)
}

function configOf(
  { tool_name, input_overrides, paths = [], ...tool }: ToolExtras,
  { inputs = {}, timeoutSeconds }: ToolOverride,
) {
  const written = new Map(paths.map((path) => [readJsonPath(path), path]))
  const acting = Object.entries(inputs).map(([pointer, input]): [string, InputOverride] => [
    written.get(pointer) ?? formatJsonPath(pointer),
    'omit' in input ? { source: 'omit' } : { source: 'constant', constant_value: input.constant },
  ])
  return {
    tool_name,
    force_pre_tool_speech: tool.force_pre_tool_speech ?? null,
    pre_tool_speech: tool.pre_tool_speech ?? null,
    disable_interruptions: tool.disable_interruptions ?? null,
    interruption_mode: tool.interruption_mode ?? null,
    tool_call_sound: tool.tool_call_sound ?? null,
    tool_call_sound_behavior: tool.tool_call_sound_behavior ?? null,
    execution_mode: tool.execution_mode ?? null,
    response_timeout_secs: timeoutSeconds === undefined ? null : timeoutOf(timeoutSeconds),
    assignments: tool.assignments ?? [],
    input_overrides: { ...input_overrides, ...Object.fromEntries(acting) },
    response_mocks: tool.response_mocks ?? [],
  }
}

/** What of some inputs acts on calls, by pointer, and what is kept, by path. */
function partInputs(overrides: Readonly<Record<string, InputOverride>>) {
  const acting: Record<string, InputOverrides[string]> = {}
  const kept: Record<string, InputOverride> = {}
  const paths: string[] = []
  for (const [path, override] of Object.entries(overrides)) {
    if (override.source !== 'constant' && override.source !== 'omit') {
      kept[path] = override
      continue
    }
    const pointer = readJsonPath(path) ?? ''
    acting[pointer] =
      override.source === 'omit' ? { omit: true } : { constant: override.constant_value }
    if (formatJsonPath(pointer) !== path) paths.push(path)
  }
  return {
    acting: Object.keys(acting).length > 0 ? acting : undefined,
    kept: {
      input_overrides: Object.keys(kept).length > 0 ? kept : undefined,
      paths: paths.length > 0 ? paths : undefined,
    },
  }
}

function withTools(
  { settings, extras }: Stored,
  tools: readonly ToolExtras[],
  name: string,
  override: ToolOverride,
): Stored {
  const overrides = { ...settings.overrides, [name]: override }
  return { settings: { ...settings, overrides }, extras: { ...extras, tools } }
}

function overrideOf(overrides: Overrides | undefined, name: string): ToolOverride {
  return (overrides && Object.hasOwn(overrides, name) ? overrides[name] : undefined) ?? {}
}
