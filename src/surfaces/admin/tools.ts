/** The admin API's tools. Every write makes one revision of their server, which is their ETag. */
import * as z from 'zod'
import { invalid } from '../../catalog/issues.ts'
import { parseTool } from '../../catalog/tool.ts'
import { isDeeperThan, MAX_DEPTH } from '../../protocol/json-depth.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { isObject } from '../../protocol/json-rpc.ts'
import { learnRevision } from '../platform.ts'
import * as writes from '../server-writes.ts'
import { formatPlace, parsePlace } from '../tool-place.ts'
import {
  cursorOf,
  etag,
  formatPage,
  json,
  limitOf,
  noContent,
  param,
  readBody,
  readValid,
  writeOf,
  type AdminCall,
} from './call.ts'

export const ReorderBody = z.strictObject({ names: z.array(z.string()).max(20_000) })
export const ReorderAnswer = z.strictObject({ names: z.array(z.string()) })

/** Any members of a tool; what they become together is checked as a whole tool. */
export const ToolPatch = z.record(z.string(), z.unknown())

export async function listTools(call: AdminCall): Promise<Response> {
  const after = parsePlace(cursorOf(call))
  const page = valueOf(await call.stub.listTools(param(call, 'id'), after, limitOf(call)))
  const next = page.next && formatPlace(page.next)
  return json(formatPage(call, page.tools, next), 200, etag(page.revision))
}

export async function createTool(call: AdminCall): Promise<Response> {
  const tool = parseTool(await readBody(call))
  return written(call, valueOf(await call.stub.createTool(param(call, 'id'), tool, writeOf(call))))
}

export async function getTool(call: AdminCall): Promise<Response> {
  const { tool, revision } = valueOf(
    await call.stub.getTool(param(call, 'id'), param(call, 'name')),
  )
  return json(tool, 200, etag(revision))
}

export async function putTool(call: AdminCall): Promise<Response> {
  const name = param(call, 'name')
  const body = await readBody(call)
  const tool = parseTool(isObject(body) ? { name, ...body } : body)
  if (tool.name !== name) {
    throw invalid([{ path: 'name', message: 'must be the name of the path; PATCH it to rename' }])
  }
  return written(call, valueOf(await call.stub.putTool(param(call, 'id'), tool, writeOf(call))))
}

export async function patchTool(call: AdminCall): Promise<Response> {
  const patch = await readValid(call, ToolPatch)
  if (isDeeperThan(patch, MAX_DEPTH + 1)) {
    throw invalid([{ path: '', message: `nests deeper than ${MAX_DEPTH} levels` }])
  }
  const tool = { server: param(call, 'id'), name: param(call, 'name') }
  const patched = await writes.patchTool(call, tool, patch, writeOf(call))
  return json(patched.tool, 200, etag(patched.revision))
}

export async function deleteTool(call: AdminCall): Promise<Response> {
  const server = param(call, 'id')
  const { revision } = valueOf(
    await call.stub.deleteTool(server, param(call, 'name'), writeOf(call)),
  )
  const { platform, organization } = call
  learnRevision(platform, { id: server, organization, revision })
  return noContent()
}

export async function reorderTools(call: AdminCall): Promise<Response> {
  const { names } = await readValid(call, ReorderBody)
  const order = await writes.reorderTools(call, param(call, 'id'), names, writeOf(call))
  return json(JSON.stringify({ names: order.names }), 200, etag(order.revision))
}

function written(
  call: AdminCall,
  { tool, revision, created }: { tool: string; revision: number; created: boolean },
): Response {
  const { platform, organization } = call
  learnRevision(platform, { id: param(call, 'id'), organization, revision })
  return json(tool, created ? 201 : 200, etag(revision))
}
