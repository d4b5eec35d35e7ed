/**
 * Runs a call of an HTTP tool: one request, or several where it may be sent again, within one
 * time-out. What goes wrong with it is a result with `isError` that says so (`surfaces.md` A24).
 */
import { DEFAULT_TIMEOUT_SECONDS } from '../../handlers/http.ts'
import { readText } from '../bounded-body.ts'
import type { Cancellation } from '../cancellation.ts'
import { OpenedSecrets } from '../opened-secrets.ts'
import { OutboundRefused } from '../outbound.ts'
import type { Secrets, World } from '../world.ts'
import { failed, MAX_ERROR_BYTES, outcomeOf, outcomeOfError, readContent } from './answer.ts'
import { cacheKeyOf, findCached, keepCached } from './cache.ts'
import { CallFailed, isTold, type HttpCall, type HttpOutcome } from './call.ts'
import { buildRequest } from './request.ts'
import { attemptsOf, delayMs, isPassing } from './retry.ts'
import { isByToken, tokenFor } from './token.ts'

/** The outcome of a call; it always has one, also when it is cut short by `signal`. */
export async function runHttp(
  call: HttpCall,
  world: World,
  { signal }: { signal: Cancellation | undefined },
): Promise<HttpOutcome> {
  const key = cacheKeyOf(call)
  const cached = key === undefined ? undefined : findCached(key)
  if (cached !== undefined) return { result: cached }
  const { organization, handler, sealed, account } = call
  const isOpen = account === undefined && Object.keys(sealed).length === 0
  // What is no promise is not awaited: this is the path of every call.
  const opened = isOpen ? NO_SECRETS : world.open(organization, sealed, account)
  const secrets = new OpenedSecrets(opened instanceof Promise ? await opened : opened)
  const seconds = handler.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS
  const deadline = startDeadline(seconds, signal)
  try {
    const response = await sendCall({ call, world, secrets, deadline })
    const isError = response.status >= 300 && response.status !== 304
    const outcome = isError
      ? outcomeOfError(response, await readText(response, MAX_ERROR_BYTES), secrets)
      : outcomeOf(call, response, await readContent(call, response), secrets)
    if (key !== undefined && outcome.problem === undefined) {
      keepCached(key, outcome.result, handler.cacheSeconds ?? 0)
    }
    return outcome
  } catch (error) {
    if (signal?.aborted) return failed('The call was cancelled')
    if (deadline.signal.aborted) return failed(`The API did not answer within ${seconds} s`)
    return failed(secrets.redactError(problemOf(error, handler.url)))
  } finally {
    deadline.end()
  }
}

const NO_SECRETS: Secrets = new Map()

/** When a call is over, what ends with it, and how to let go of it. */
type Deadline = { at: number; signal: AbortSignal; end: () => void }

function startDeadline(seconds: number, cancelled: Cancellation | undefined): Deadline {
  const abort = new AbortController()
  const stop = () => abort.abort()
  const timer = setTimeout(stop, seconds * 1000)
  cancelled?.addEventListener('abort', stop)
  if (cancelled?.aborted) stop()
  const end = () => {
    clearTimeout(timer)
    cancelled?.removeEventListener('abort', stop)
  }
  return { at: Date.now() + seconds * 1000, signal: abort.signal, end }
}

/** What an error says to who called; that of the network may repeat anything, so it is not told. */
function problemOf(error: unknown, url: string): string {
  return isTold(error)
    ? error.message
    : `The API at ${hostOf(url)} could not be reached, or broke off`
}

function hostOf(url: string): string {
  return /^\w+:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
}

type Sending = { call: HttpCall; world: World; secrets: OpenedSecrets; deadline: Deadline }
type SendOnce = (token: string | undefined) => Promise<Response>

function sendCall(sending: Sending): Promise<Response> {
  const { call, world, secrets, deadline } = sending
  const { handler, args, hops } = call
  const request = buildRequest(handler, args, secrets)
  const sendOnce: SendOnce = (token) => {
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
    return world.outbound({ ...request, signal: deadline.signal, hops })
  }
  const attempts = attemptsOf(handler.method ?? 'GET', handler.retries ?? 0)
  const isPlain = attempts === 1 && !isByToken(handler.auth)
  return isPlain ? sendOnce(undefined) : sendWithCare(sending, attempts, sendOnce)
}

/** Sends again what may pass, and with another token where one is refused. */
async function sendWithCare(
  sending: Sending,
  attempts: number,
  sendOnce: SendOnce,
): Promise<Response> {
  const token = await requestToken(sending)
  const response = await sendRetrying(attempts, sending.deadline, () => sendOnce(token))
  if (response.status !== 401 || token === undefined) return response
  await response.body?.cancel()
  return sendOnce(await requestToken(sending, token))
}

async function requestToken(
  { call: { organization, handler, hops }, world: { outbound }, secrets, deadline }: Sending,
  refused?: string,
): Promise<string | undefined> {
  const { auth } = handler
  if (!isByToken(auth)) return undefined
  const { signal } = deadline
  return tokenFor({ organization, auth, secrets, outbound, signal, hops, refused })
}

/** The first answer that will not pass, or the last one there was time for. */
async function sendRetrying(
  attempts: number,
  deadline: Deadline,
  send: () => Promise<Response>,
): Promise<Response> {
  for (let sent = 1; ; sent++) {
    const response = await (sent < attempts ? send().catch(unlessFinal) : send())
    if (response !== undefined && (sent >= attempts || !isPassing(response.status))) return response
    const waitMs = delayMs(sent - 1, response?.headers.get('retry-after') ?? null)
    if (response !== undefined && Date.now() + waitMs >= deadline.at) return response
    await response?.body?.cancel()
    await wait(waitMs, deadline.signal)
  }
}

/** A failure of the network may pass; what was refused here will not. */
function unlessFinal(error: unknown): undefined {
  if (error instanceof OutboundRefused || error instanceof CallFailed) throw error
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(new CallFailed('ended'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
