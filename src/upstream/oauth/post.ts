/** A POST to an endpoint of an authorization server: bounded, and never sent on by a redirect. */
import { isObject } from '../../protocol/json-rpc.ts'
import { readText } from '../bounded-body.ts'
import type { Outbound } from '../outbound.ts'
import { errorCodeOf, OAuthFault } from './fault.ts'

const MAX_ANSWER_BYTES = 64 * 1024
/** Well below the lease of a refresh (30 s), so that who holds that is done before it ends. */
const TIMEOUT_MS = 10_000

export type Posted = { url: string; contentType: string; body: string; authorization?: string }

/** The object of a good answer; `OAuthFault` for any other. */
export async function postTo(
  outbound: Outbound,
  { url, contentType, body, authorization }: Posted,
): Promise<Readonly<Record<string, unknown>>> {
  const { host } = new URL(url)
  const headers = new Map([
    ['accept', 'application/json'],
    ['content-type', contentType],
    ...(authorization === undefined ? [] : [['authorization', authorization] as const]),
  ])
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const sent = { url, method: 'POST', headers, body, signal, maxRedirects: 0 }
  const { status, text } = await outbound(sent)
    .then(async (response) => ({
      status: response.status,
      text: (await readText(response, MAX_ANSWER_BYTES)).text,
    }))
    .catch((error: unknown) => {
      throw new OAuthFault('unreachable', `${host} could not be reached`, { cause: error })
    })
  const answer = parseAnswer(text)
  if (status === 200 || status === 201) return answer
  const error = errorCodeOf(answer['error'])
  const message = `${host} answered ${status}${error === undefined ? '' : ` (${error})`}`
  // Without a code of OAuth it was not the endpoint's own word: it may be better the next time.
  if (error === undefined) throw new OAuthFault('unreachable', message)
  throw new OAuthFault('refused', message, { error })
}

/** The object that an endpoint answered; an empty one for any other text. */
export function parseAnswer(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {} // no JSON: the status says the rest
  }
}
