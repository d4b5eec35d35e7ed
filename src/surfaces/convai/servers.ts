/** Server configurations: made, listed, read, changed and deleted (`convai-api.md` §1, E2–E7). */
import { parseServerFile } from '../../catalog/server-file.ts'
import type {
  ConfigurationRecord,
  WrittenConfiguration,
} from '../../objects/organization/configuration-commands.ts'
import { HttpError, valueOf, type Outcome } from '../../protocol/http-error.ts'
import { deleteServer, packFile, settleSoon } from '../server-writes.ts'
import { answer, param, readBody, writeOf, type ConvaiCall } from './call.ts'
import { formatConfiguration, storedOf } from './config-answer.ts'
import { ApprovalPolicyBody, ConfigChange, createBody } from './config-form.ts'
import { changeConfig, newConfig } from './config.ts'
import { formatExtras, type Stored } from './extras.ts'
import { requireReferable } from './referred.ts'

/** Of changes that come together one gets through at each try: so many may be made at once. */
const MAX_TRIES = 50

export async function createConfiguration(call: ConvaiCall): Promise<Response> {
  const { config } = await readBody(call, createBody(call.platform.settings))
  await requireReferable(call, config, ['body', 'config'])
  const { file, extras, approvalHashes } = newConfig(config)
  const beside = { extras: formatExtras(extras), approvalHashes }
  const packed = packFile(parseServerFile(file))
  return written(call, await call.stub.createConfiguration(packed, beside, writeOf(call)))
}

export async function listConfigurations({ stub }: ConvaiCall): Promise<Response> {
  const records: ConfigurationRecord[] = []
  let after: number | undefined = 0
  while (after !== undefined) {
    const { items, next }: { items: ConfigurationRecord[]; next?: number } = valueOf(
      await stub.listConfigurations(after),
    )
    records.push(...items)
    after = next
  }
  return answer({ mcp_servers: records.map(formatConfiguration) })
}

export async function getConfiguration(call: ConvaiCall): Promise<Response> {
  return answer(formatConfiguration(await readConfiguration(call)))
}

export async function patchConfiguration(call: ConvaiCall): Promise<Response> {
  const change = await readBody(call, ConfigChange)
  await requireReferable(call, change, ['body'])
  return changeStored(call, (stored) => changeConfig(stored, change))
}

export async function patchApprovalPolicy(call: ConvaiCall): Promise<Response> {
  const change = await readBody(call, ApprovalPolicyBody)
  return changeStored(call, (stored) => changeConfig(stored, change))
}

export async function deleteConfiguration(call: ConvaiCall): Promise<Response> {
  const { server } = await readConfiguration(call)
  await deleteServer(call, server.id, writeOf(call))
  return answer({})
}

/** The configuration that the path names; 404 where there is none. */
export async function readConfiguration(call: ConvaiCall): Promise<ConfigurationRecord> {
  return valueOf(await call.stub.getConfiguration(param(call, 'mcp_server_id')))
}

/** Changes what is stored of the configuration that the path names, and answers it. */
export async function changeStored(
  call: ConvaiCall,
  change: (stored: Stored) => Stored,
): Promise<Response> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const before = await readConfiguration(call)
    const { settings, extras } = change(storedOf(before))
    const write = { ...writeOf(call), expected: before.server.revision }
    const members = { settings: { ...settings }, extras: formatExtras(extras) }
    const outcome = await call.stub.patchConfiguration(before.id, members, write)
    const isLate = 'refusal' in outcome && outcome.refusal.code === 'revision_moved'
    if (!isLate) return written(call, outcome)
  }
  throw new HttpError(503, 'unavailable', 'The MCP server is being changed by others; retry', {
    headers: { 'Retry-After': '1' },
  })
}

/** A configuration that was written. Settings that are refused are no fields of the body, nor stand there. */
function written(call: ConvaiCall, outcome: Outcome<WrittenConfiguration>): Response {
  if ('refusal' in outcome && outcome.refusal.status === 422) {
    throw new HttpError(422, outcome.refusal.code, outcome.refusal.message)
  }
  const done = valueOf(outcome)
  settleSoon(call, done)
  return answer(formatConfiguration(done.configuration))
}
