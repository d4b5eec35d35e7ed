/**
 * `GET /servers/{id}/preview`: what a caller would be listed of a server, and each tool that is withheld
 * with its rule: on its own endpoint by a server key, on the gateway by a principal (`design.md` §8).
 */
import * as z from 'zod'
import { ANONYMOUS, type Caller } from '../../callers/caller.ts'
import { requireMay } from '../../callers/may.ts'
import { parsePrincipal, type Principal } from '../../callers/principal.ts'
import { invalid } from '../../catalog/issues.ts'
import type { Status } from '../../catalog/item.ts'
import type { ServerSettings } from '../../catalog/server.ts'
import { surfaceItem } from '../../catalog/surface-items.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { withheldOnGateway } from '../../visibility/gateway.ts'
import { withholds } from '../../visibility/visible.ts'
import { json, param, type AdminCall } from './call.ts'

export const PreviewAnswer = z.strictObject({
  tools: z.array(z.looseObject({ name: z.string() })),
  withheld: z.array(z.strictObject({ name: z.string(), rule: z.string() })),
})

export const PREVIEW_QUERY = {
  surface: 'hosted, the default, or gateway',
  credential: 'On hosted: id of a server key',
  principal: 'On the gateway: id of a member or an agent',
  environment: 'On the gateway: name of an environment',
}

type Offered = { name: string; status: Status; definition: unknown }
type Preview = { tools: unknown[]; withheld: { name: string; rule: string }[] }

export async function previewServer(call: AdminCall): Promise<Response> {
  const surface = call.query.get('surface') ?? 'hosted'
  if (surface === 'hosted') return json(JSON.stringify(await previewHosted(call)))
  if (surface === 'gateway') return json(JSON.stringify(await previewGateway(call)))
  throw invalid([{ path: 'surface', message: 'must be "hosted" or "gateway"' }])
}

async function previewHosted(call: AdminCall): Promise<Preview> {
  const id = param(call, 'id')
  const offered = valueOf(await call.stub.offeredTools(id))
  const caller = await previewedCaller(call, id, offered)
  const preview: Preview = { tools: [], withheld: [] }
  for (const { name, status, definition } of unpackTools(offered.tools)) {
    const rule = withholds({ name, status }, caller)
    if (rule === undefined) preview.tools.push(definition)
    else preview.withheld.push({ name, rule })
  }
  return preview
}

async function previewGateway(call: AdminCall): Promise<Preview> {
  const id = param(call, 'id')
  const offered = unpackTools(valueOf(await call.stub.offeredTools(id)).tools)
  const surface = valueOf(await call.stub.describeSurface())
  const view = { surface, ...(await previewedView(call)) }
  if (view.environment !== undefined && !Object.hasOwn(surface.environments, view.environment)) {
    throw new HttpError(404, 'environment_not_found', 'There is no environment of this name')
  }
  const capability = surface.capabilities.find(({ server }) => server === id)
  const preview: Preview = { tools: [], withheld: [] }
  for (const { name: operation, status, definition } of offered) {
    if (capability === undefined) {
      preview.withheld.push({ name: operation, rule: 'server_not_on_gateway' })
      continue
    }
    const item = surfaceItem(capability, {
      kind: 'tools',
      name: operation,
      status,
      sortOrder: undefined,
      definition: JSON.stringify(definition),
      binding: '{}',
    })
    const rule =
      status === 'active' ? withheldOnGateway({ capability, operation }, view) : 'tool_paused'
    if (rule === undefined) preview.tools.push(JSON.parse(item.definition))
    else preview.withheld.push({ name: item.name, rule })
  }
  return preview
}

/** Whose view it is. */
async function previewedView(
  call: AdminCall,
): Promise<{ principal: Principal; environment: string | undefined }> {
  const { query, stub, actor } = call
  const id = query.get('principal')
  const isOwn = actor !== 'operator' && actor.principal.id === id
  if (!isOwn) requireMay(actor, 'keys.read') // who sees what of others is for those who administer
  const text = id === null ? undefined : await stub.principal(id)
  const principal = text === undefined ? undefined : parsePrincipal(text)?.value
  if (principal !== undefined) {
    return { principal, environment: query.get('environment') ?? undefined }
  }
  if (id === null) throw invalid([{ path: 'principal', message: 'is needed on the gateway' }])
  throw new HttpError(404, 'principal_not_found', `There is no member or agent ${id}`)
}

function unpackTools(bytes: Uint8Array): Offered[] {
  return JSON.parse(new TextDecoder().decode(bytes))
}

async function previewedCaller(
  call: AdminCall,
  id: string,
  { auth }: Pick<ServerSettings, 'auth'>,
): Promise<Caller> {
  const credential = call.query.get('credential')
  if (credential === null) {
    if (auth === 'none') return ANONYMOUS
    throw invalid([{ path: 'credential', message: 'is needed: this server opens to keys alone' }])
  }
  requireMay(call.actor, 'keys.read') // a server's key is nobody's own
  const key = valueOf(await call.stub.getKey(credential))
  if (key.server !== id) throw new HttpError(404, 'key_not_found', `There is no key ${credential}`)
  const tools = key.tools && { names: new Set(key.tools), key: key.id }
  return { id: key.id, tools, expiresAtMs: Infinity }
}
