/**
 * What a crooked server answers to `tools/call`. The text of a good answer is `called NAME`.
 *
 * - ids and shapes: `wrong id first` (another id's answer before the right one, in SSE), `wrong id`,
 *   `text id` (the right one as string), `batch` (an array as JSON), `batch event` (as an event's data),
 *   `both` (result and error), `neither`, `result text`, `result null`, `no content`, `odd content`,
 *   `odd error`, `task`, `unasked input` (input_required with nothing in it), `undeclared input` (sampling,
 *   whatever the client can), `odd input` (a method that is no question), `bare` (no resultType)
 * - streams: `notices` (progress, log, list_changed, foreign progress before the answer),
 *   `list changed`, `asks` (ping and sampling requests, then the answer without waiting), `asks and
 *   waits` (for both answers), `progress for ever` (until the client leaves), `silent stream` (opens, no
 *   event, no end), `endless line` (one event's data without end), `ends` (no answer, no ids), `ends,
 *   resumable` (an id and a retry; GET with Last-Event-ID has the answer), `ends, lost` (an id; GET 404)
 * - bodies: `huge` (64 MiB), `HTML`, `bad JSON`, `wrong type` (JSON as text/plain), `empty`, `202`
 * - errors: `-32020`, `-32020 once`, `-32021`, `-32022`, `-32001`, `-32042`, `-32002`, `-32602`, `-32603`,
 *   `session lost` (404 once), `401`, `403`, `404`, `429`, `500`, `503 once`
 * - `no answer`, `the connection ends`, `ends within` (half a JSON body)
 */
import { once as onceEvent } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import {
  answer,
  fault,
  hang,
  HTML,
  isModern,
  once,
  resultOf,
  status,
  vanish,
  type Behaviour,
  type Exchange,
} from './crooked-exchange.ts'
import { sendFramed } from './crooked-framing.ts'
import { drop, sendJson, sendText } from './recording.ts'

const HUGE_BYTES = 64 * 1024 * 1024
const PROGRESS_EVERY_MS = 20

/** What a good call answers. */
const called = ({ params }: Exchange) => ({
  content: [{ type: 'text', text: `called ${params['name']}` }],
})

const plain: Behaviour = (exchange) => answer(exchange, called(exchange))

const response = (exchange: Exchange, members: object) => ({
  jsonrpc: '2.0',
  id: exchange.id,
  ...members,
})

const notice = (method: string, params?: object) => ({ jsonrpc: '2.0', method, params })

const raw =
  (members: (exchange: Exchange) => object): Behaviour =>
  (exchange) =>
    sendJson(exchange.response, response(exchange, members(exchange)))

const result = (value: unknown): Behaviour => raw(() => ({ result: value }))

const faulty =
  (code: number, code400 = 200, data?: unknown): Behaviour =>
  (exchange) =>
    fault(exchange, code, { status: code400, data })

/** An SSE answer of these messages and the good answer, whatever the framing is. */
const streamed =
  (before: (exchange: Exchange) => readonly object[]): Behaviour =>
  (exchange) =>
    answer({ ...exchange, framing: 'sse' }, called(exchange), before(exchange))

const progressOf = ({ params }: Exchange, progress: number) =>
  notice('notifications/progress', { progressToken: params['_meta']?.progressToken, progress })

const SAMPLING = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }

const REQUESTS = [
  { jsonrpc: '2.0', id: 'ping-1', method: 'ping' },
  { jsonrpc: '2.0', id: 'sample-1', ...SAMPLING },
]

const inputRequired =
  (inputRequests: object): Behaviour =>
  (exchange) =>
    answer(exchange, { resultType: 'input_required', inputRequests, requestState: 'state' })

const writeEvent = ({ response: to }: Exchange, message: object) =>
  to.write(`data: ${JSON.stringify(message)}\n\n`)

const open = ({ response: to }: Exchange) =>
  to.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()

async function askAndWait(exchange: Exchange): Promise<void> {
  open(exchange)
  for (const request of REQUESTS) writeEvent(exchange, request)
  const posted = [await exchange.posted.next(), await exchange.posted.next()]
  const told = { content: [{ type: 'text', text: JSON.stringify(posted) }] }
  writeEvent(exchange, response(exchange, { result: resultOf(exchange, told) }))
  exchange.response.end()
}

async function progressForEver(exchange: Exchange): Promise<void> {
  open(exchange)
  for (let step = 1; !exchange.seen.isAborted; step += 1) {
    writeEvent(exchange, progressOf(exchange, step))
    await pause(PROGRESS_EVERY_MS, undefined, { ref: false })
  }
}

async function endlessLine(exchange: Exchange): Promise<void> {
  open(exchange)
  exchange.response.write('data: {"jsonrpc":"2.0","x":"')
  const part = 'x'.repeat(64 * 1024)
  while (!exchange.seen.isAborted) {
    if (exchange.response.write(part)) continue
    await Promise.race([onceEvent(exchange.response, 'drain'), exchange.seen.aborted])
  }
}

const ending =
  (text: string): Behaviour =>
  (exchange) => {
    open(exchange)
    exchange.response.end(text)
  }

/** Each by its name. */
export const CALLS = {
  plain,
  'wrong id first': streamed((exchange) => [
    { ...response(exchange, { result: resultOf(exchange, { content: [] }) }), id: 987_654 },
  ]),
  'wrong id': (exchange) => answer({ ...exchange, id: 987_654 }, called(exchange)),
  'text id': (exchange) => answer({ ...exchange, id: String(exchange.id) }, called(exchange)),
  batch: (exchange) =>
    sendJson(exchange.response, [
      response(exchange, { result: resultOf(exchange, called(exchange)) }),
    ]),
  'batch event': (exchange) =>
    sendFramed(exchange.response, 'sse', [
      [
        progressOf(exchange, 1),
        response(exchange, { result: resultOf(exchange, called(exchange)) }),
      ],
    ]),
  both: raw(() => ({ result: { content: [] }, error: { code: -1, message: 'both' } })),
  neither: raw(() => ({})),
  'result text': result('text'),
  'result null': result(null),
  'no content': (exchange) => answer(exchange, {}),
  'odd content': (exchange) =>
    answer(exchange, { content: [{ type: 'hologram', data: 1 }, null, 5, { type: 'text' }] }),
  'odd error': raw(() => ({ error: { code: 'E_TEXT', data: { secret: 1 } } })),
  task: (exchange) => answer(exchange, { resultType: 'task', taskId: 'task-1', status: 'working' }),
  'unasked input': (exchange) => answer(exchange, { resultType: 'input_required' }),
  'undeclared input': inputRequired({ idea: SAMPLING }),
  'odd input': inputRequired({ odd: { method: 'tools/list' } }),
  bare: raw((exchange) => ({ result: called(exchange) })),
  notices: streamed((exchange) => [
    progressOf(exchange, 1),
    notice('notifications/progress', { progressToken: 'foreign', progress: 1 }),
    notice('notifications/message', { level: 'info', data: 'a log' }),
    notice('notifications/tools/list_changed'),
    notice('notifications/unheard_of', { a: 1 }),
    progressOf(exchange, 2),
  ]),
  'list changed': streamed(() => [notice('notifications/tools/list_changed')]),
  asks: streamed(() => REQUESTS),
  'asks and waits': askAndWait,
  'progress for ever': progressForEver,
  'silent stream': open,
  'endless line': endlessLine,
  ends: (exchange) => ending(`data: ${JSON.stringify(progressOf(exchange, 1))}\n\n`)(exchange),
  'ends, resumable': (exchange) =>
    ending(`id: resume-${JSON.stringify(exchange.id)}\nretry: 10\ndata:\n\n`)(exchange),
  'ends, lost': ending('id: lost\nretry: 10\ndata:\n\n'),
  huge: (exchange) => {
    const [block] = called(exchange).content
    return answer(exchange, { content: [{ ...block, text: 'x'.repeat(HUGE_BYTES) }] })
  },
  HTML: status(200, HTML),
  'bad JSON': ({ response: to }) => sendText(to, '{"jsonrpc":', 'application/json'),
  'wrong type': (exchange) =>
    sendText(exchange.response, JSON.stringify(response(exchange, { result: called(exchange) }))),
  empty: ({ response: to }) => sendText(to, '', 'application/json'),
  '202': status(202),
  '-32020': faulty(-32020, 400),
  '-32020 once': once(faulty(-32020, 400), plain),
  '-32021': faulty(-32021, 400, { requiredCapabilities: { sampling: {} } }),
  '-32022': faulty(-32022, 400, { supported: ['2027-01-01'], requested: '2026-07-28' }),
  '-32001': faulty(-32001, 404),
  '-32042': faulty(-32042, 200, { elicitations: [] }),
  '-32002': faulty(-32002),
  '-32602': faulty(-32602),
  '-32603': faulty(-32603),
  'session lost': (exchange) => {
    if (exchange.nth > 0 || isModern(exchange)) return plain(exchange)
    return fault({ ...exchange, id: null }, -32001, { status: 404 })
  },
  '401': status(401, '', { 'www-authenticate': 'Bearer' }),
  '403': status(403),
  '404': status(404, HTML),
  '429': status(429, '', { 'retry-after': '1' }),
  '500': status(500, HTML),
  '503 once': once(status(503, '', { 'retry-after': '0' }), plain),
  'no answer': hang,
  'the connection ends': vanish,
  'ends within': ({ response: to }) => {
    to.writeHead(200, { 'content-type': 'application/json' })
    to.write('{"jsonrpc":"2.0",', () => drop(to))
  },
} as const satisfies Readonly<Record<string, Behaviour>>

export type CallName = keyof typeof CALLS

/** The answer to a call whose stream had ended, for a GET that names its event. */
export function resume(exchange: Exchange, lastEventId: string): void | Promise<void> {
  const [, id] = /^resume-(.+)$/.exec(lastEventId) ?? []
  if (id === undefined) return status(404)(exchange)
  const params = { name: 'resumed' }
  return plain({ ...exchange, id: JSON.parse(id) as unknown, params, framing: 'sse' })
}
