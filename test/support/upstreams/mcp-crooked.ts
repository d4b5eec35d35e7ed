/**
 * MCP servers written by hand that do what no SDK does.
 *
 * `startCrookedMcp({ probe?, initialize?, list?, call?, framing? })`: each names one behaviour, and
 * what is not named is as a good server does it:
 *
 * - `probe`       the answer to `server/discover`: PROBES in crooked-probes.ts, with the verdict of each
 *                 (mcp-protocol.md §8.1); `ok` is a modern server, `-32601 at 200` a legacy one
 * - `initialize`  INITIALIZES in crooked-probes.ts
 * - `list`        `tools/list`: LISTS in crooked-lists.ts
 * - `call`        `tools/call`: CALLS in crooked-calls.ts
 * - `framing`     how a good answer is put on the wire: FRAMINGS in crooked-framing.ts
 *
 * `behaviour` can be changed while it runs, as a server that is replaced. Requests with a `_meta` claim
 * are answered as modern, others as legacy. Notifications and posted responses are 202 (`posted` has the
 * latter), DELETE is 200, GET is 405 but to take up a stream or, with `initialize: 'old'`, to open
 * one that begins with `endpoint`. `methods()` is what was asked, in order; see recording.ts for the rest.
 */
import { createInbox } from '../inbox.ts'
import { CALLS, resume, type CallName } from './crooked-calls.ts'
import { fault, status, type Behaviour, type Exchange } from './crooked-exchange.ts'
import type { FramingName } from './crooked-framing.ts'
import { LISTS, type ListName } from './crooked-lists.ts'
import { INITIALIZES, PROBES, type InitializeName, type ProbeName } from './crooked-probes.ts'
import { startRecording, type Recording } from './recording.ts'

export type CrookedBehaviour = {
  probe?: ProbeName
  initialize?: InitializeName
  list?: ListName
  call?: CallName
  framing?: FramingName
}

export type CrookedMcp = Recording & {
  behaviour: CrookedBehaviour
  posted: Exchange['posted']
  /** The JSON-RPC methods that came, in order; GET and DELETE by their names. */
  methods(): string[]
}

/** Starts one. */
export async function startCrookedMcp(behaviour: CrookedBehaviour = {}): Promise<CrookedMcp> {
  const posted: Exchange['posted'] = createInbox()
  const counts = new Map<string, number>()
  const recording: Recording = await startRecording((seen, response) => {
    const { id, method = '', params = {} } = Object(seen.body) as Partial<Exchange>
    const nth = counts.get(method) ?? 0
    counts.set(method, nth + 1)
    const framing = behaviour.framing ?? 'json'
    const { url } = recording
    const exchange = { seen, response, id, method, params, nth, framing, url, posted }
    return behaviourOf(exchange, behaviour)(exchange)
  })
  return {
    ...recording,
    url: `${recording.url}/mcp`,
    behaviour,
    posted,
    methods: () =>
      recording.requests.map(({ method, body }) =>
        method === 'POST' ? String(Object(body).method ?? 'a response') : method,
      ),
  }
}

function behaviourOf({ seen, id, method }: Exchange, behaviour: CrookedBehaviour): Behaviour {
  if (!seen.path.startsWith('/mcp')) return status(404)
  if (seen.method === 'GET') return get(behaviour)
  if (seen.method === 'DELETE') return status(200)
  if (method === '') return takeResponse
  if (id === undefined) return status(202)
  return methodsOf(behaviour).get(method) ?? ((exchange) => fault(exchange, -32601))
}

function methodsOf(behaviour: CrookedBehaviour): ReadonlyMap<string, Behaviour> {
  return new Map<string, Behaviour>([
    ['server/discover', PROBES[behaviour.probe ?? 'ok'].answer],
    ['initialize', INITIALIZES[behaviour.initialize ?? 'ok']],
    ['tools/list', LISTS[behaviour.list ?? 'plain']],
    ['tools/call', CALLS[behaviour.call ?? 'plain']],
  ])
}

function get(behaviour: CrookedBehaviour): Behaviour {
  return (exchange) => {
    const last = exchange.seen.headers['last-event-id']
    if (last !== undefined) return resume(exchange, String(last))
    if (behaviour.initialize !== 'old') return status(405, '', { allow: 'POST' })(exchange)
    exchange.response.writeHead(200, { 'content-type': 'text/event-stream' })
    exchange.response.write('event: endpoint\ndata: /messages?sessionId=1\n\n')
    return undefined
  }
}

const takeResponse: Behaviour = (exchange) => {
  exchange.posted.put(exchange.seen.body)
  return status(202)(exchange)
}
