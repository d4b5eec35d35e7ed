/** `initialize`: opens a session and answers with its id (`surfaces.md` D1). */
import { answerMessage } from '../../methods/answer-message.ts'
import { newSession } from '../../objects/resident.ts'
import type { SessionRecord } from '../../objects/session/record.ts'
import {
  INVALID_PARAMS,
  isObject,
  RpcError,
  type Request as RpcRequest,
} from '../../protocol/json-rpc.ts'
import { isLegacyRevision, NEWEST_LEGACY } from '../../protocol/revisions.ts'
import { acceptsEventStream, EVENT_STREAM_HEADERS, formatEvent } from '../../protocol/sse.ts'
import { requireSlots } from '../limits.ts'
import { offeredDigests } from './digests.ts'
import { rememberRevision } from './in-session.ts'
import { answerError, formatResult, type Answer } from '../messages.ts'
import { exchangeOf, type Site } from './site.ts'

const MAX_DECLARED_LENGTH = 4096 // of what a client says of itself, kept for the session

/** Answers `initialize` with a new session, or with the error that its params are. */
export async function openSession(site: Site, message: RpcRequest): Promise<Answer | Response> {
  const { platform, caller, visit, catalog } = site
  const { id, params = {} } = message
  if (caller.id === 'anonymous') {
    // Each session is an object with storage.
    const { INITIALIZE_LIMIT } = platform.settings
    await requireSlots(platform, `initialize ${visit.address}`, INITIALIZE_LIMIT)
  }
  try {
    const exchange = {
      ...exchangeOf(site),
      params,
      revision: NEWEST_LEGACY,
      clientCapabilities: undefined,
    }
    const result = await answerMessage('legacy', 'initialize', exchange)
    const clientInfo = textOf('clientInfo', params)
    const clientCapabilities = textOf('capabilities', params)
    const asked = params['protocolVersion']
    const revision = typeof asked === 'string' && isLegacyRevision(asked) ? asked : NEWEST_LEGACY
    const now = Date.now()
    const record: SessionRecord = {
      organization: catalog.organization,
      server: catalog.id,
      caller: caller.id,
      revision,
      clientInfo,
      clientCapabilities,
      logLevel: undefined,
      catalogRevision: catalog.revision,
      announced: offeredDigests(site, revision),
      subscriptions: [],
      idleMs: catalog.settings.sessionIdleSeconds * 1000,
      createdAt: now,
      lastUsedAt: now,
      isUsed: false,
    }
    const session = newSession(platform.env)
    await session.stub.open(record)
    rememberRevision(site, session.id, revision)
    return respond(site, String(formatResult(id, result)), session.id)
  } catch (error) {
    return answerError(error, id)
  }
}

/** A member of the handshake that is kept, as JSON. */
function textOf(name: string, params: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(isObject(params[name]) ? params[name] : {})
  if (text.length <= MAX_DECLARED_LENGTH) return text
  throw new RpcError(INVALID_PARAMS, `Invalid params: ${name} is too long`)
}

function respond({ visit }: Site, body: string, sessionId: string): Response {
  const stream = acceptsEventStream(visit.request.headers.get('accept'))
  return new Response(stream ? formatEvent({ data: body }) : body, {
    headers: {
      ...(stream ? EVENT_STREAM_HEADERS : { 'Content-Type': 'application/json' }),
      'Mcp-Session-Id': sessionId,
    },
  })
}
