/**
 * Trying a tool as the operator: the way of a client's call, from the organization's own word on the
 * tool and its secrets, whatever the server's status and whoever it opens to.
 */
import * as z from 'zod'
import type { Caller } from '../../callers/caller.ts'
import { Catalog } from '../../catalog/catalog.ts'
import { needsAccount } from '../../catalog/server.ts'
import { DEFAULT_ENVIRONMENT } from '../../handlers/variable.ts'
import { Unavailable } from '../../memory/lookup.ts'
import type { Note } from '../../methods/call-entry.ts'
import { finish } from '../../methods/finish.ts'
import { prepareCall } from '../../methods/tools-call.ts'
import { freshAccount } from '../../objects/fresh-account.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  MISSING_CLIENT_CAPABILITY,
  RpcError,
} from '../../protocol/json-rpc.ts'
import { MODERN_REVISION } from '../../protocol/revisions.ts'
import type { CallToolResult } from '../../protocol/tool.ts'
import { logError } from '../../protocol/log.ts'
import type { Sealed, SealedAccount } from '../../upstream/world.ts'
import { learnRevision } from '../platform.ts'
import { hopsOf } from '../hops.ts'
import { serverSource } from '../sources.ts'
import { actorName, may, requireMay } from '../../callers/may.ts'
import { param, readValid, type AdminCall } from './call.ts'
import { answerPatiently } from './patient.ts'

const ASKS = 'The tool asks the user or the model something, which nobody can be asked here'

export const TryBody = z.strictObject({
  arguments: z.record(z.string(), z.unknown()).optional(),
  account: z.string().max(100).optional().meta({
    description: 'Alias of the account of the organization to use, where the server needs one',
  }),
})

export async function tryTool(call: AdminCall): Promise<Response> {
  const { arguments: args = {}, account: alias } = await readValid(call, TryBody)
  await requirePerson(call)
  const catalog = await requireTool(call)
  const account = needsAccount(catalog.settings) ? await requireAccount(call, alias) : undefined
  try {
    return await answerPatiently(async (signal) => {
      const result = await run(call, catalog, args, account, signal)
      if (result['resultType'] === 'input_required') throw new RpcError(INTERNAL_ERROR, ASKS)
      return JSON.stringify(result)
    }, lateText)
  } catch (error) {
    throw error instanceof RpcError ? refusalOf(error) : error
  }
}

/** Whether who tries is one that calls are held for: a key is none. */
function isPerson({ actor }: AdminCall): boolean {
  return may(actor, 'approvals.decide') === undefined
}

/** A key makes no call here that rules could hold or refuse on the gateway. */
async function requirePerson(call: AdminCall): Promise<void> {
  if (isPerson(call)) return
  const { features } = valueOf(await call.stub.describeSurface())
  if (features.approvals) requireMay(call.actor, 'approvals.decide')
}

async function run(
  call: AdminCall,
  catalog: Catalog,
  args: Readonly<Record<string, unknown>>,
  account: SealedAccount | undefined,
  signal: AbortSignal,
) {
  const { platform, visit } = call
  const { world } = platform
  const caller: Caller = { id: actorName(call.actor), tools: undefined, expiresAtMs: Infinity }
  const note: Note = (entry) => platform.calls.add(entry, visit.waitUntil)
  const prepared = await prepareCall({
    revision: MODERN_REVISION,
    caller,
    catalog,
    params: { name: param(call, 'name'), arguments: args },
    headers: undefined,
    hops: hopsOf(call.request.headers),
    takeCall: async () => undefined, // limits are for clients
    clientCapabilities: {},
    isAllowed: isPerson(call),
    waitUntil: visit.waitUntil,
    world,
    note,
    sealed: (names) => sealed(call, names),
    resolve: () => call.stub.remote(catalog.id, DEFAULT_ENVIRONMENT),
    account,
    verified: async () => catalog,
  })
  return finish(prepared, {
    revision: MODERN_REVISION,
    progressToken: undefined,
    logLevel: undefined,
    signal,
    notify: () => {},
    declared: {}, // an operator is asked nothing
    waitUntil: visit.waitUntil,
    world,
    note,
  })
}

/** The newest catalog with the tool; 404 where it is not there, 409 where it is paused. */
async function requireTool(call: AdminCall): Promise<Catalog> {
  const { platform, visit, organization, stub } = call
  const [id, name] = [param(call, 'id'), param(call, 'name')]
  const { tool, revision } = valueOf(await stub.getTool(id, name))
  const { status } = JSON.parse(tool) as { status: string }
  if (status === 'paused') throw new HttpError(409, 'tool_paused', `The tool "${name}" is paused`)
  learnRevision(platform, { id, organization, revision })
  const source = serverSource(platform, visit)
  const { value } = await platform.servers.find(id, source, visit.waitUntil)
  if (value instanceof Catalog && value.revision >= revision) return value
  throw new Unavailable('the server has just changed again')
}

/** An account of the organization; 409 where there is none to use, or none is named of several. */
async function requireAccount(call: AdminCall, alias: string | undefined): Promise<SealedAccount> {
  const [server, tool] = [param(call, 'id'), param(call, 'name')]
  const chosen = valueOf(await call.stub.organizationAccount(server, tool, alias))
  if ('refused' in chosen) throw new HttpError(409, chosen.refused.code, chosen.refused.message)
  const { organization, stub } = call
  const fresh = await freshAccount({ world: call.platform.world, organization, stub }, chosen)
  if (!('refused' in fresh)) return fresh.account
  const { code, message } = fresh.refused
  throw new HttpError(code === 'needs_reauth' ? 409 : 503, code, message)
}

/** Secrets, sealed, as they are now. */
async function sealed({ stub }: AdminCall, names: readonly string[]): Promise<Sealed> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const value = await stub.sealedSecret(name)
    if (value !== undefined) found[name] = value
  }
  return found
}

/** What JSON-RPC would answer with an error, in REST form. */
function refusalOf({ code, message }: RpcError): HttpError {
  if (code === MISSING_CLIENT_CAPABILITY)
    return new HttpError(409, 'missing_client_capability', message)
  if (code === INVALID_PARAMS) return new HttpError(422, 'invalid_params', message)
  return new HttpError(409, 'call_refused', message)
}

/** The same once the answer has begun: a result that says so. */
function lateText(error: unknown): string {
  if (!(error instanceof RpcError)) logError('a try failed', error)
  const text = error instanceof RpcError ? error.message : 'Something went wrong here'
  const result: CallToolResult = { content: [{ type: 'text', text }], isError: true }
  return JSON.stringify(result)
}
