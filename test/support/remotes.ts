/** Remote servers as the organization knows them, without anything remote: what was read is given. */
import assert from 'node:assert/strict'
import type { Organization } from '../../src/objects/organization.ts'
import { createServer } from './admin.ts'
import type { Rollcall } from './rollcall.ts'

/** Which is refused, so that nothing is read of it but what a test gives. */
export const REMOTE_URL = 'https://127.0.0.1:9/mcp'

/** A tool as a remote server lists it. */
export function remoteTool(name: string, members: object = {}) {
  return { name, description: `The tool ${name}`, inputSchema: { type: 'object' }, ...members }
}

/** A server file of a remote server. */
export function remoteFile(name: string, members: object = {}) {
  return { name, kind: 'remote', hosted: true, remote: { url: REMOTE_URL }, ...members }
}

/** What was read of a remote server with these tools. */
export function snapshot(tools: readonly object[] = [], members: object = {}) {
  return {
    url: REMOTE_URL,
    at: Date.now(),
    era: 'legacy',
    revision: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    tools,
    prompts: [],
    resources: [],
    resourceTemplates: [],
    left: [],
    truncated: false,
    ...members,
  }
}

async function organizationOf({ harness, objectName }: Rollcall) {
  type Bindings = { ORGANIZATION: DurableObjectNamespace<Organization> }
  const { ORGANIZATION } = await harness.getWorker<Bindings>().getEnv()
  return ORGANIZATION.getByName(objectName('org_default'))
}

/** Tells the organization what was read of a remote server. */
export async function applySnapshot(rollcall: Rollcall, server: string, read: object) {
  const stub = await organizationOf(rollcall)
  const outcome = await stub.applySnapshot(server, new TextEncoder().encode(JSON.stringify(read)))
  assert.ok('value' in outcome, JSON.stringify(outcome))
  return outcome.value
}

/** Makes a remote server that was read once. */
export async function readOnce(rollcall: Rollcall, tools: readonly object[], members: object = {}) {
  const made = await createServer(rollcall, remoteFile('Far', members))
  await applySnapshot(rollcall, made.id, snapshot(tools))
  return made
}

/** Tells the organization that a remote server did not answer. */
export async function noteFailure(rollcall: Rollcall, server: string, at: number) {
  const stub = await organizationOf(rollcall)
  const outcome = await stub.noteRefreshFailure(server, { at, problem: 'It did not answer' })
  assert.ok('value' in outcome, JSON.stringify(outcome))
  return outcome.value
}
