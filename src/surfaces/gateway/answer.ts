/**
 * The methods of the gateway in each era: tools alone, and no session (`surfaces.md` D9). Levels of logs
 * are for the stateless era, and changes of the list for its streams.
 */
import { methodNotFound } from '../../methods/answer-message.ts'
import { discover } from '../../methods/discover.ts'
import type { Result } from '../../methods/exchange.ts'
import { initialize } from '../../methods/initialize.ts'
import { listAll } from '../../methods/list.ts'
import type { Envelope } from '../../protocol/envelope.ts'
import type { Request as RpcRequest } from '../../protocol/json-rpc.ts'
import { MODERN_REVISION, type LegacyRevision } from '../../protocol/revisions.ts'
import { answerLive } from '../live-answer.ts'
import { answerBy, type Answer } from '../messages.ts'
import { callTool } from './call.ts'
import { listen } from './listen.ts'
import { onOneLine } from './one-event.ts'
import type { Site } from './site.ts'

const LEGACY_CAPABILITIES = { tools: {} }
const MODERN_CAPABILITIES = { tools: { listChanged: true }, logging: {} }

/** Answers a request of the session era, which stands for itself here. */
export function answerLegacy(
  site: Site,
  { id, method, params = {} }: RpcRequest,
  revision: LegacyRevision,
): Answer | Promise<Answer> {
  return answerBy(id, (): Result | Promise<Result> => {
    switch (method) {
      case 'initialize': {
        const { catalog } = site.gateway
        return { ...initialize({ params, catalog }), capabilities: LEGACY_CAPABILITIES }
      }
      case 'ping':
        return {}
      case 'tools/list':
        return onOneLine(list(site, revision))
      case 'tools/call':
        return callTool(site, params, { revision, clientCapabilities: undefined })
      default:
        throw methodNotFound('legacy', method)
    }
  })
}

/** Answers a request of the stateless era. */
export function answerModern(
  site: Site,
  message: RpcRequest,
  envelope: Envelope,
): Answer | Response | Promise<Answer | Response> {
  const { id, method, params = {} } = message
  const revision = MODERN_REVISION
  const { clientCapabilities } = envelope
  switch (method) {
    case 'server/discover':
      return answerBy(id, () => ({
        ...discover({ revision, catalog: site.gateway.catalog }),
        capabilities: MODERN_CAPABILITIES,
      }))
    case 'tools/list':
      return answerBy(id, () => list(site, revision))
    case 'tools/call':
      return answerLive(envelope, site.visit, (talk) =>
        answerBy(id, () => callTool(site, params, { revision, clientCapabilities, talk })),
      )
    case 'subscriptions/listen':
      return listen(site, message)
    default:
      return answerBy(id, () => {
        throw methodNotFound('modern', method)
      })
  }
}

function list({ gateway, shown }: Site, revision: LegacyRevision | typeof MODERN_REVISION): Result {
  return listAll('tools', { catalog: gateway.catalog, caller: shown, revision })
}
