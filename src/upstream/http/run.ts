/**
 * Runs a call of an HTTP tool: one request, or several where it may be sent again, within one
 * time-out. What goes wrong with it is a result with `isError` that says so (`surfaces.md` A24).
 */
import { DEFAULT_TIMEOUT_SECONDS } from '../../handlers/http.ts'
import { MissingSecret, OpenedSecrets } from '../opened-secrets.ts'
import { OutboundRefused } from '../outbound.ts'
import type { Secrets, World } from '../world.ts'
import { failed, readAnswer, readError } from './answer.ts'
import { cacheKeyOf, findCached, keepCached } from './cache.ts'
import { CallFailed, type HttpCall, type HttpOutcome } from './call.ts'
import { buildRequest } from './request.ts'
import { attemptsOf, delayMs, isPassing } from './retry.ts'
import { isByToken, tokenFor } from './token.ts'

/** The outcome of a call; it always has one, also when it is cut short by `signal`. */
export async function runHttp(
  call: HttpCall,
  world: World,
  { signal }: { signal: AbortSignal | undefined },
): Promise<HttpOutcome> {
  const key = cacheKeyOf(call)
  const cached = key === undefined ? undefined : findCached(key)
  if (cached !== undefined) return { result: cached }
  const { organization, sealed, account } = call
  const isOpen = account === undefined && Object.keys(sealed).length === 0
  // What is no promise is not awaited: each wait costs a call a hundredth.
  const opened = isOpen ? NO_SECRETS : await world.open(organization, sealed, account)
  const secrets = new OpenedSecrets(opened)
  const outcome = await inTime(call, secrets, signal, (deadline) =>
    attempt(call, world, secrets, deadline),
  )
  if (key !== undefined && outcome.problem === undefined) {
    keepCached(key, outcome.result, call.handler.cacheSeconds ?? 0)
  }
  return outcome
}

const NO_SECRETS: Secrets = new Map()

/** When a call is over, and what ends with it. */
type Deadline = { at: number; signal: AbortSignal }

/** Runs work that has to end in the time of the call, and says what ended it. */
async function inTime(
  { handler }: HttpCall,
  secrets: OpenedSecrets,
  signal: AbortSignal | undefined,
  work: (deadline: Deadline) => Promise<HttpOutcome>,
): Promise<HttpOutcome> {
  const seconds = handler.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS
  const abort = new AbortController()
  const stop = () => abort.abort()
  const timer = setTimeout(stop, seconds * 1000)
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  try {
    return await work({ at: Date.now() + seconds * 1000, signal: abort.signal })
  } catch (error) {
    if (signal?.aborted) return failed('The call was cancelled')
    if (abort.signal.aborted) return failed(`The API did not answer within ${seconds} s`)
    return failed(secrets.redactError(problemOf(error, handler.url)))
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** What an error says to who called; that of the network may repeat anything, so it is not told. */
function problemOf(error: unknown, url: string): string {
  const isTold =
    error instanceof CallFailed ||
    error instanceof OutboundRefused ||
    error instanceof MissingSecret
  return isTold ? error.message : `The API at ${hostOf(url)} could not be reached, or broke off`
}

function hostOf(url: string): string {
  return /^\w+:\/\/([^/?#]*)/.exec(url)?.[1] ?? ''
}

async function attempt(
  call: HttpCall,
  world: World,
  secrets: OpenedSecrets,
  deadline: Deadline,
): Promise<HttpOutcome> {
  const { handler, args } = call
  const request = buildRequest(handler, args, secrets)
  const send = (token: string | undefined) => {
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
    return world.outbound({ ...request, signal: deadline.signal, hops: call.hops })
  }
  const token = isByToken(handler.auth)
    ? await requestToken(call, world, secrets, deadline)
    : undefined
  const attempts = attemptsOf(handler.method ?? 'GET', handler.retries ?? 0)
  const response = await (attempts === 1
    ? send(token)
    : sendRetrying(attempts, deadline, () => send(token)))
  if (response.status !== 401 || token === undefined) return read(call, response, secrets)
  await response.body?.cancel()
  const another = await requestToken(call, world, secrets, deadline, token)
  return read(call, await send(another), secrets)
}

async function requestToken(
  { organization, handler, hops }: HttpCall,
  { outbound }: World,
  secrets: OpenedSecrets,
  { signal }: Deadline,
  refused?: string,
): Promise<string | undefined> {
  const { auth } = handler
  if (!isByToken(auth)) return undefined
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

function read(call: HttpCall, response: Response, secrets: OpenedSecrets): Promise<HttpOutcome> {
  const isError = response.status >= 300 && response.status !== 304
  return isError ? readError(response, secrets) : readAnswer(call, response, secrets)
}
