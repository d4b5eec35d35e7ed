/** Requests other than calls that the remote server behind a server answers. */
import { MODERN_REVISION } from '../protocol/revisions.ts'
import { completed, type Exchange, type Result } from './exchange.ts'
import { finish } from './finish.ts'
import { optionsOf } from './finish-options.ts'
import { prepareRelay } from './prepare-relay.ts'

/** What is read is the remote server's at that moment, and may be for one caller alone (§4.7). */
const NOT_KEPT = { ttlMs: 0, cacheScope: 'private' }

/** Relays a request and completes its result. */
export async function answerRelayed(method: string, exchange: Exchange): Promise<Result> {
  const prepared = await prepareRelay(method, exchange)
  return finish(prepared, optionsOf(exchange), (result) => {
    const isKept = method === 'resources/read' && result['resultType'] === undefined
    const hints = isKept && exchange.revision === MODERN_REVISION ? NOT_KEPT : {}
    return completed(exchange, { ...result, ...hints })
  })
}
