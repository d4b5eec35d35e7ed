/** The `manage__*` tools about servers, as tests call them. */
import assert from 'node:assert/strict'
import { MANAGE_TOOLS } from '../../src/surfaces/gateway/manage/definitions.ts'
import { findViolations } from '../../src/upstream/arguments.ts'
import type { Person } from './acme.ts'
import { callTool } from './gateway-client.ts'
import type { Rollcall } from './rollcall.ts'

/** The operations about servers that write. */
export const WRITES = [
  'remote_add',
  'remote_refresh',
  'remote_remove',
  'tools_pause',
  'tools_resume',
  'tools_reorder',
] as const

/** What a call gives, which fits the tool's own schema. */
export async function runManage(
  rollcall: Rollcall,
  { key }: Person,
  operation: string,
  args: object = {},
) {
  const found = MANAGE_TOOLS.find((one) => one.operation === operation)
  assert.ok(found, operation)
  const { name, outputSchema } = found.definition
  const { result } = await callTool(rollcall, key, name, args)
  assert.notEqual(result.isError, true, JSON.stringify(result))
  assert.deepEqual(findViolations(name, outputSchema ?? {}, result.structuredContent), [])
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent)
  return result.structuredContent
}

/** The error that a call is refused with. */
export async function refusedManage(
  rollcall: Rollcall,
  { key }: Person,
  operation: string,
  args: object = {},
) {
  const { result } = await callTool(rollcall, key, `manage__${operation}`, args)
  assert.equal(result.isError, true, JSON.stringify(result))
  return result.structuredContent.error
}
