/** The admin API's servers: whole servers, their revisions, and what a caller would see. */
import * as z from 'zod'
import { invalid } from '../../catalog/issues.ts'
import { ServerId } from '../../catalog/names.ts'
import { parseServerFile, type ParsedServerFile } from '../../catalog/server-file.ts'
import { ServerSettings, SettingsPatch } from '../../catalog/server.ts'
import { valueOf } from '../../protocol/http-error.ts'
import type { WrittenServer } from '../../objects/organization/change-server.ts'
import type { ServerRecord } from '../../objects/organization/servers.ts'
import type { Platform } from '../platform.ts'
import * as writes from '../server-writes.ts'
import {
  cursorOf,
  etag,
  formatPage,
  isDryRun,
  json,
  limitOf,
  noContent,
  param,
  readBody,
  readValid,
  writeOf,
  type AdminCall,
} from './call.ts'

const UpstreamAnswer = z.strictObject({
  era: z.string().optional(),
  revision: z.string().optional(),
  serverInfo: z
    .strictObject({
      name: z.string().optional(),
      version: z.string().optional(),
      title: z.string().optional(),
    })
    .optional(),
  refreshedAt: z.iso.datetime().nullable(),
  failedAt: z.iso.datetime().optional(),
  downSince: z.iso.datetime().optional(),
  problem: z.string().optional(),
  toolCount: z.int().meta({ description: 'So many it lists' }),
  promptCount: z.int(),
  resourceCount: z.int(),
  resourceTemplateCount: z.int(),
  truncated: z.boolean().meta({ description: 'It had more than was read' }),
  leftCount: z.int().meta({ description: 'How much of its lists is not shown' }),
  left: z
    .array(z.strictObject({ name: z.string(), reason: z.string() }))
    .meta({ description: 'The first of it, and why' }),
})

export const ServerAnswer = z.strictObject({
  id: ServerId,
  ...ServerSettings.shape,
  revision: z.int(),
  publishedRevision: z
    .int()
    .meta({ description: 'The revision KV holds; it follows within seconds' }),
  toolCount: z.int(),
  upstream: UpstreamAnswer.optional().meta({
    description: 'What is known of the remote server; absent in lists, as `overrides` are',
  }),
  configuration: z.string().optional().meta({
    description: 'Its id on convai; of a remote server without accounts alone',
  }),
  endpoint: z
    .string()
    .meta({ description: 'Where clients find the server: a path, or a URL with PUBLIC_URL' }),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

export const RevisionAnswer = z.strictObject({
  revision: z.int(),
  at: z.iso.datetime(),
  actor: z.string(),
  act: z.string(),
  publishedAt: z.iso.datetime().nullable(),
})

export const RollbackBody = z.strictObject({ revision: z.int().min(1) })

export async function listServers(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const records = valueOf(await call.stub.listServers(cursorOf(call), limit + 1))
  const items = records.slice(0, limit)
  const next = records.length > limit ? items.at(-1)?.id : undefined
  return json(
    formatPage(
      call,
      items.map((record) => formatServer(call.platform, record)),
      next,
    ),
  )
}

export async function createServer(call: AdminCall): Promise<Response> {
  const file = parseServerFile(await readBody(call))
  if (call.actor !== 'operator' && file.id !== undefined) {
    throw invalid([{ path: 'id', message: 'is chosen by the operator alone; import the file' }])
  }
  if (isDryRun(call)) return rehearsed(call, undefined, file)
  return answered(call, await writes.createServer(call, file, writeOf(call)), 201)
}

export async function importServer(call: AdminCall): Promise<Response> {
  const file = parseServerFile(await readBody(call))
  return written(
    call,
    valueOf(await call.stub.importServer(writes.packFile(file), writeOf(call))),
    201,
  )
}

export async function getServer(call: AdminCall): Promise<Response> {
  const record = valueOf(await call.stub.getServer(param(call, 'id')))
  return json(formatServer(call.platform, record), 200, etag(record.revision))
}

export async function putServer(call: AdminCall): Promise<Response> {
  const id = param(call, 'id')
  if (!ServerId.safeParse(id).success) {
    throw invalid([{ path: 'id', message: 'must be 16 lower-case hex digits' }])
  }
  const file = parseServerFile(await readBody(call))
  // Only the operator makes a server under an id of its choice.
  if (call.actor !== 'operator') valueOf(await call.stub.getServer(id))
  if (isDryRun(call)) return rehearsed(call, id, file)
  const put = valueOf(await call.stub.putServer(id, writes.packFile(file), writeOf(call)))
  return written(call, put, put.created ? 201 : 200)
}

export async function patchServer(call: AdminCall): Promise<Response> {
  const patch = await readValid(call, SettingsPatch)
  return written(
    call,
    valueOf(await call.stub.patchServer(param(call, 'id'), patch, writeOf(call))),
    200,
  )
}

export async function deleteServer(call: AdminCall): Promise<Response> {
  await writes.deleteServer(call, param(call, 'id'), writeOf(call))
  return noContent()
}

export async function duplicateServer(call: AdminCall): Promise<Response> {
  const record = valueOf(await call.stub.duplicateServer(param(call, 'id'), writeOf(call)))
  return written(call, record, 201)
}

export async function exportServer(call: AdminCall): Promise<Response> {
  const text = call.query.get('revision')
  const revision = text === null ? undefined : requireNumber(text, 'revision')
  const exported = valueOf(await call.stub.exportServer(param(call, 'id'), revision))
  return json(exported.file, 200, etag(exported.revision))
}

export async function refreshServer(call: AdminCall): Promise<Response> {
  return answered(call, await writes.refreshServer(call, param(call, 'id')), 200)
}

export async function listRevisions(call: AdminCall): Promise<Response> {
  const revisions = valueOf(await call.stub.revisions(param(call, 'id')))
  return json(JSON.stringify({ items: revisions }))
}

export async function rollbackServer(call: AdminCall): Promise<Response> {
  const { revision } = await readValid(call, RollbackBody)
  const record = valueOf(await call.stub.rollbackServer(param(call, 'id'), revision, writeOf(call)))
  return written(call, record, 200)
}

/** The text of a server in answers. */
function formatServer({ settings: { PUBLIC_URL } }: Platform, record: ServerRecord): string {
  const { id, settings, ...rest } = record
  const endpoint = `${PUBLIC_URL ?? ''}/mcp/${settings.slug}${settings.vanity ? '' : `/${id}`}`
  return JSON.stringify({ id, ...settings, ...rest, endpoint })
}

async function written(call: AdminCall, done: WrittenServer, status: number): Promise<Response> {
  return answered(call, await writes.settleServer(call, done), status)
}

function answered({ platform }: AdminCall, server: ServerRecord, status: number): Response {
  const location = { Location: `/api/v1/servers/${server.id}` }
  const headers = { ...etag(server.revision), ...(status === 201 && location) }
  return json(formatServer(platform, server), status, headers)
}

/** The file of a server as it would be after a write, which is not done. */
async function rehearsed(
  call: AdminCall,
  id: string | undefined,
  file: ParsedServerFile,
): Promise<Response> {
  return json(valueOf(await call.stub.rehearseFile(id, writes.packFile(file), writeOf(call))))
}

function requireNumber(text: string, path: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalid([{ path, message: 'must be a number' }])
}
