/**
 * A plain HTTP API with every trick, by path. `startHttpApi(options)` gives what `startRecording`
 * gives, and `oauth` and `attempts(key)`.
 *
 * - `/echo`, `/echo/*`         JSON of what it was sent: method, path raw, query pairs, headers, text, json, form
 * - `/weather/:city`           a document as wttr.in's `?format=j1`; the city `nowhere` is 404 in plain text
 * - `/hang`                    never answers
 * - `/stall`                   head and half a JSON body, then nothing
 * - `/slow?ms=`                JSON after that time
 * - `/huge?bytes=&type=`       streams that many bytes, no content-length
 * - `/drip?parts=&ms=`         text in chunks with pauses
 * - `/gzip?bytes=`             gzipped JSON, padded in memory to that many bytes
 * - `/204`, `/304`             no body
 * - `/status/:code?text=&retryAfter=`  that status, JSON with a text
 * - `/leak/:code?type=`        that status and type, a text that repeats path, headers and body of the request
 * - `/html-error`              500 with HTML
 * - `/redirect/:status?to=`    redirects to that URL
 * - `/loop`                    redirects to itself
 * - `/redirects/:n`            redirects n times, then echoes
 * - `/bad-json`                content-type JSON, broken
 * - `/empty`                   200, JSON type, no byte of body
 * - `/charset`, `/bad-utf8`    ISO-8859-1, declared; invalid UTF-8
 * - `/close-early`, `/reset`   fewer bytes than declared; the connection ends before an answer
 * - `/image.png`, `/audio.mp3` media
 * - `/flaky?fails=N&key=K&status=503&retryAfter=S`  fails N times for a key, then 200; `status=reset` drops
 * - `/token`, `/protected`     OAuth 2 client credentials and what they open (http-oauth.ts)
 * - `/headers?count=`          many response headers and two cookies
 *
 * Anything else is 404 with JSON.
 */
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import {
  AUDIO_BYTES,
  IMAGE_BYTES,
  sendBadUtf8,
  sendDrip,
  sendGzip,
  sendHeaders,
  sendHuge,
  sendLatin,
  sendShort,
  sendStall,
} from './http-bodies.ts'
import { createOAuth, type OAuth, type OAuthOptions } from './http-oauth.ts'
import {
  drop,
  sendJson,
  sendText,
  startRecording,
  type Recording,
  type SeenRequest,
} from './recording.ts'
import { weatherDocument } from './weather-document.ts'

export type HttpApi = Recording & {
  oauth: OAuth
  /** How often `/flaky` was asked for a key. */
  attempts(key: string): number
}

type Asked = { seen: SeenRequest; response: ServerResponse; query: URLSearchParams; rest: string }
type Route = (asked: Asked) => void | Promise<void>

/** Starts the API. */
export async function startHttpApi(options: OAuthOptions = {}): Promise<HttpApi> {
  const oauth = createOAuth(options)
  const attempts = new Map<string, number>()
  const routes = new Map<string, Route>([
    ...ROUTES,
    ['flaky', (asked) => answerFlaky(asked, attempts)],
    ['token', ({ seen, response }) => oauth.token(seen, response)],
    ['protected', ({ seen, response }) => oauth.guarded(seen, response)],
  ])
  const recording = await startRecording((seen, response) => {
    const [path = '', search = ''] = seen.path.split('?', 2)
    const [, name = '', rest = ''] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? []
    const route = routes.get(name)
    if (route === undefined) return sendJson(response, { error: `nothing at ${path}` }, 404)
    return route({ seen, response, query: new URLSearchParams(search), rest })
  })
  return { ...recording, oauth, attempts: (key) => attempts.get(key) ?? 0 }
}

const ROUTES: readonly (readonly [string, Route])[] = [
  ['echo', answerEcho],
  ['weather', answerWeather],
  ['hang', () => {}],
  ['stall', ({ response }) => sendStall(response)],
  ['slow', answerSlow],
  ['huge', ({ seen, response, query }) => sendHuge(seen, response, query)],
  ['drip', ({ seen, response, query }) => sendDrip(seen, response, query)],
  ['gzip', ({ response, query }) => sendGzip(response, query)],
  ['204', ({ response }) => void response.writeHead(204).end()],
  ['304', ({ response }) => void response.writeHead(304, { etag: '"same"' }).end()],
  ['status', answerStatus],
  ['leak', answerLeak],
  ['html-error', ({ response }) => sendText(response, HTML_ERROR, 'text/html', 500)],
  ['redirect', answerRedirect],
  ['loop', ({ response }) => redirect(response, 302, '/loop')],
  ['redirects', answerRedirects],
  ['bad-json', ({ response }) => sendText(response, '{"broken": tru', 'application/json')],
  ['empty', ({ response }) => sendText(response, '', 'application/json')],
  ['charset', ({ response }) => sendLatin(response)],
  ['bad-utf8', ({ response }) => sendBadUtf8(response)],
  ['close-early', ({ response }) => sendShort(response)],
  ['reset', ({ response }) => drop(response)],
  ['image.png', ({ response }) => sendText(response, IMAGE_BYTES, 'image/png')],
  ['audio.mp3', ({ response }) => sendText(response, AUDIO_BYTES, 'audio/mpeg')],
  ['headers', ({ response, query }) => sendHeaders(response, query)],
]

const HTML_ERROR =
  '<!doctype html><html><head><title>500</title><script>alert(1)</script></head>' +
  '<body><h1>Internal Server Error</h1><p>The database is on fire.</p></body></html>'

function answerEcho({ seen, response, query }: Asked): void {
  const type = seen.headers['content-type'] ?? ''
  const isForm = type.startsWith('application/x-www-form-urlencoded')
  sendJson(response, {
    method: seen.method,
    path: seen.path,
    query: [...query],
    headers: seen.headers,
    text: seen.text,
    json: seen.body,
    form: isForm ? [...new URLSearchParams(seen.text)] : undefined,
  })
}

function answerWeather({ response, rest }: Asked): void {
  const city = decodeURIComponent(rest)
  if (city === 'nowhere')
    return sendText(response, 'Unknown location; please try ~nowhere', 'text/plain', 404)
  return sendJson(response, weatherDocument(city))
}

async function answerSlow({ seen, response, query }: Asked): Promise<void> {
  const waited = Number(query.get('ms') ?? 100)
  const isOver = await Promise.race([
    pause(waited, true, { ref: false }),
    seen.aborted.then(() => false),
  ])
  if (isOver) sendJson(response, { waited })
}

function answerStatus({ response, rest, query }: Asked): void {
  const status = Number(rest)
  const retryAfter = query.get('retryAfter')
  const headers = retryAfter === null ? undefined : { 'retry-after': retryAfter }
  const text = query.get('text') ?? `answered with status ${status}`
  sendJson(response, { error: { message: text } }, status, headers)
}

function answerLeak({ seen, response, rest, query }: Asked): void {
  const headers = Object.entries(seen.headers).map(([name, value]) => `${name}: ${String(value)}`)
  const text = [`${seen.method} ${seen.path}`, ...headers, '', seen.text].join('\n')
  sendText(response, text, query.get('type') ?? 'text/plain', Number(rest))
}

function answerRedirect({ response, rest, query }: Asked): void {
  redirect(response, Number(rest), query.get('to') ?? '/echo')
}

function answerRedirects({ response, rest }: Asked): void {
  const left = Number(rest)
  redirect(response, 302, left > 1 ? `/redirects/${left - 1}` : '/echo')
}

function redirect(response: ServerResponse, status: number, location: string): void {
  response.writeHead(status, { location }).end()
}

function answerFlaky({ response, query }: Asked, attempts: Map<string, number>): void {
  const key = query.get('key') ?? ''
  const attempt = (attempts.get(key) ?? 0) + 1
  attempts.set(key, attempt)
  if (attempt > Number(query.get('fails') ?? 1)) return sendJson(response, { attempt })
  const status = query.get('status') ?? '503'
  if (status === 'reset') return drop(response)
  const retryAfter = query.get('retryAfter')
  const headers = retryAfter === null ? undefined : { 'retry-after': retryAfter }
  return sendJson(
    response,
    { error: { message: `attempt ${attempt} fails` } },
    Number(status),
    headers,
  )
}
