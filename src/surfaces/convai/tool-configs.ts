/** What is said of single tools of a server (`convai-api.md` §1, E10–E13). */
import { HttpError } from '../../protocol/http-error.ts'
import { answer, param, readBody, type ConvaiCall } from './call.ts'
import { storedOf } from './config-answer.ts'
import { changeStored, readConfiguration } from './servers.ts'
import { dropToolConfig, putToolConfig, toolConfig } from './tool-config.ts'
import { ToolConfig, ToolConfigChange } from './tool-config-form.ts'

export async function createToolConfig(call: ConvaiCall): Promise<Response> {
  const { tool_name, ...tool } = await readBody(call, ToolConfig)
  return changeStored(call, (stored) => {
    if (toolConfig(stored, tool_name) === undefined) return putToolConfig(stored, tool_name, tool)
    const message = `The tool ${tool_name} has a configuration; update it`
    throw new HttpError(409, 'tool_config_already_exists', message)
  })
}

export async function getToolConfig(call: ConvaiCall): Promise<Response> {
  const stored = storedOf(await readConfiguration(call))
  const config = toolConfig(stored, param(call, 'tool_name'))
  if (config === undefined) throw noToolConfig(call)
  return answer(config)
}

export async function patchToolConfig(call: ConvaiCall): Promise<Response> {
  const change = await readBody(call, ToolConfigChange)
  const name = param(call, 'tool_name')
  return changeStored(call, (stored) => {
    if (toolConfig(stored, name) === undefined) throw noToolConfig(call)
    return putToolConfig(stored, name, change)
  })
}

export async function deleteToolConfig(call: ConvaiCall): Promise<Response> {
  const name = param(call, 'tool_name')
  return changeStored(call, (stored) => {
    if (toolConfig(stored, name) === undefined) throw noToolConfig(call)
    return dropToolConfig(stored, name)
  })
}

function noToolConfig(call: ConvaiCall): HttpError {
  const name = param(call, 'tool_name').slice(0, 100)
  return new HttpError(404, 'tool_config_not_found', `The tool ${name} has no configuration`)
}
