/** `manage__*` tools as a caller is listed them, whose answers fit what was listed. */
import assert from 'node:assert/strict'
import { findViolations } from '../../src/upstream/arguments.ts'
import { askGateway, onlyEvent } from './acme.ts'
import { callTool } from './gateway-client.ts'
import { LIST } from './messages.ts'
import type { Rollcall } from './rollcall.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
type Definition = { name: string; outputSchema: any; inputSchema: any; annotations: any }
export type Definitions = Map<string, Definition>

/** The tools that a caller is listed, by name. */
export async function definitionsFor(rollcall: Rollcall, key: string): Promise<Definitions> {
  const { result } = onlyEvent(await askGateway(rollcall, key, LIST))
  return new Map(result.tools.map((each: Definition) => [each.name, each]))
}

/** What a tool answers, which fits its schema. */
export async function askManage(
  rollcall: Rollcall,
  definitions: Definitions,
  credential: string,
  operation: string,
  args: object = {},
) {
  const name = `manage__${operation}`
  const { result } = await callTool(rollcall, credential, name, args)
  assert.notEqual(result.isError, true, JSON.stringify(result))
  const schema = definitions.get(name)?.outputSchema
  assert.deepEqual(findViolations(name, schema, result.structuredContent), [])
  return result.structuredContent
}

/** The code that a tool refuses with. */
export async function codeOf(
  rollcall: Rollcall,
  credential: string,
  operation: string,
  args: object = {},
) {
  const { result } = await callTool(rollcall, credential, `manage__${operation}`, args)
  assert.equal(result.isError, true, JSON.stringify(result))
  return result.structuredContent?.error.code
}
