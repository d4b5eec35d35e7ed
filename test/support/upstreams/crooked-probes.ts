/**
 * What a crooked server answers to `server/discover` and to `initialize`.
 *
 * `PROBES` is the table of mcp-protocol.md §8.1: outcome → verdict and answer. Verdicts:
 *
 * - `modern`, `legacy` (then `initialize`), `incompatible` (then nothing more)
 * - `refused` (-32020, -32021: a modern server that wants another request)
 * - `authorize` (401, 403), `later` (429), `outage` (5xx, silence, a connection that ends)
 *
 * A connection that is refused is `closedUrl()`: a port at which nobody listens.
 */
import {
  answer,
  fault,
  hang,
  HTML,
  LEGACY,
  MODERN,
  NEWER,
  once,
  status,
  vanish,
  type Behaviour,
} from './crooked-exchange.ts'
import { startRecording } from './recording.ts'

export type Verdict =
  | 'modern'
  | 'legacy'
  | 'incompatible'
  | 'refused'
  | 'authorize'
  | 'later'
  | 'outage'

type Probe = { verdict: Verdict; answer: Behaviour }

const BAD_REQUEST = { status: 400 }

const discovered =
  (supportedVersions?: unknown): Behaviour =>
  (exchange) =>
    answer(exchange, {
      supportedVersions,
      capabilities: { tools: { listChanged: true } },
      instructions: 'crooked',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'crooked', version: '1' } },
    })

const faulty =
  (code: number, more?: { status?: number; data?: unknown }): Behaviour =>
  (exchange) =>
    fault(exchange, code, more)

const unsupported = (supported?: unknown): Behaviour =>
  faulty(-32022, { ...BAD_REQUEST, data: { supported, requested: MODERN } })

const is = (verdict: Verdict, behaviour: Behaviour): Probe => ({ verdict, answer: behaviour })

/** Every outcome of the probe. */
export const PROBES = {
  ok: is('modern', discovered([MODERN])),
  'ok, and newer': is('modern', discovered([NEWER, MODERN])),
  'ok, and older': is('modern', discovered([MODERN, LEGACY])),
  'no overlap, older': is('legacy', discovered([LEGACY])),
  'no overlap, newer': is('incompatible', discovered([NEWER])),
  'a result of something else': is('legacy', (exchange) => answer(exchange, { tools: [] })),
  '-32022 once, ours': is('modern', once(unsupported([MODERN]), discovered([MODERN]))),
  '-32022 always, ours': is('incompatible', unsupported([MODERN])),
  '-32022, older': is('legacy', unsupported([LEGACY, '2025-06-18'])),
  '-32022, newer': is('incompatible', unsupported([NEWER])),
  '-32022, newer and older': is('incompatible', unsupported([NEWER, LEGACY])),
  '-32022, none': is('legacy', unsupported([])),
  '-32022, no list': is('legacy', unsupported('2026')),
  '-32022, no data': is('legacy', faulty(-32022, BAD_REQUEST)),
  '-32020': is('refused', faulty(-32020, BAD_REQUEST)),
  '-32021': is('refused', faulty(-32021, { ...BAD_REQUEST, data: { requiredCapabilities: {} } })),
  '-32601 at 200': is('legacy', faulty(-32601)),
  '-32601 at 404': is('legacy', faulty(-32601, { status: 404 })),
  '-32602 at 200': is('legacy', faulty(-32602)),
  '-32602 at 400': is('legacy', faulty(-32602, BAD_REQUEST)),
  '-32600 at 400': is('legacy', faulty(-32600, BAD_REQUEST)),
  '-32000 at 400': is('legacy', faulty(-32000, BAD_REQUEST)),
  '-32700 at 400': is('legacy', faulty(-32700, BAD_REQUEST)),
  'empty 400': is('legacy', status(400)),
  'empty 404': is('legacy', status(404)),
  'empty 405': is('legacy', status(405)),
  'HTML 400': is('legacy', status(400, HTML)),
  'HTML 404': is('legacy', status(404, HTML)),
  'HTML 405': is('legacy', status(405, HTML)),
  'HTML 200': is('legacy', status(200, HTML)),
  'empty 202': is('legacy', status(202)),
  '401': is('authorize', status(401, '', { 'www-authenticate': 'Bearer' })),
  '403': is('authorize', status(403)),
  '429': is('later', status(429, '', { 'retry-after': '1' })),
  '500': is('outage', status(500, HTML)),
  '502': is('outage', status(502)),
  '503': is('outage', status(503, '', { 'retry-after': '1' })),
  '504': is('outage', status(504)),
  'no answer': is('outage', hang),
  'the connection ends': is('outage', vanish),
} as const satisfies Readonly<Record<string, Probe>>

export type ProbeName = keyof typeof PROBES

const initialized =
  (protocolVersion: unknown, sessionId?: string): Behaviour =>
  (exchange) => {
    if (sessionId !== undefined) exchange.response.setHeader('mcp-session-id', sessionId)
    return answer(exchange, {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'crooked', version: '1' },
    })
  }

/**
 * What `initialize` does. `old` is 405 where a GET opens a stream with an `endpoint` event; of a
 * session id that is refused see `list` and `call`.
 */
export const INITIALIZES = {
  ok: (exchange) => initialized(LEGACY, `session-${exchange.nth + 1}`)(exchange),
  'no session': initialized(LEGACY),
  older: initialized('2025-03-26', 'session-old'),
  'unknown version': initialized('1999-01-01'),
  'modern version': initialized(MODERN),
  'no version': initialized(undefined),
  'long session id': initialized(LEGACY, 'x'.repeat(8192)),
  'odd session id': initialized(LEGACY, 'with space and é'),
  error: faulty(-32603),
  '-32022': unsupported([MODERN]),
  '400': status(400),
  '404': status(404, HTML),
  old: status(405),
  '401': status(401, '', { 'www-authenticate': 'Bearer' }),
  '429': status(429),
  '500': status(500),
  HTML: status(200, HTML),
  'no answer': hang,
  'the connection ends': vanish,
} as const satisfies Readonly<Record<string, Behaviour>>

export type InitializeName = keyof typeof INITIALIZES

/** A URL at which the connection is refused. */
export async function closedUrl(): Promise<string> {
  const recording = await startRecording(() => {})
  await recording.close()
  return `${recording.url}/mcp`
}
