/**
 * The program of the bench's upstream (see upstream.ts). By path: `/weather/…` is an API, `/hang/…` is
 * one that never answers, `/modern`, `/legacy`, `/many` and `/slow` (100 tools) are MCP servers that
 * answer in JSON. It tells its port, and then, each time it is sent anything, how many requests have come.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { MODERN_REVISION } from '../../src/protocol/revisions.ts'
import { benchTools, FORECAST } from './tools.ts'

const HOURS = 12
const MANY_TOOLS = 100
const SLOW_MS = 1000 // so that whoever asks at a time does so while the first is asking
const NOT_FOUND = { error: { code: -32601, message: 'Method not found' } }
const INFO = { name: 'upstream', version: '1' }

/** About a kilobyte. */
const WEATHER = JSON.stringify({
  city: 'Bonn',
  hours: Array.from({ length: HOURS }, (_, hour) => ({
    time: `2026-07-28T${String(hour).padStart(2, '0')}:00Z`,
    temperature: 20 + hour / 10,
    sky: 'scattered clouds',
  })),
})

type Headers = Readonly<Record<string, string>>
type Answers = Readonly<Record<string, object>>

const SHARED: Answers = {
  'tools/list': { result: { tools: [FORECAST] } },
  'tools/call': { result: { content: [{ type: 'text', text: WEATHER }] } },
}

const MODERN: Answers = {
  ...SHARED,
  'server/discover': {
    result: { supportedVersions: [MODERN_REVISION], capabilities: { tools: {} }, serverInfo: INFO },
  },
}

const LEGACY: Answers = {
  ...SHARED,
  initialize: {
    result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: INFO },
  },
}

const MANY: Answers = { ...LEGACY, 'tools/list': { result: { tools: benchTools(MANY_TOOLS) } } }

let count = 0

const server = createServer((request, response) => {
  count += 1
  const { url = '' } = request
  if (url.startsWith('/hang/')) return
  if (url === '/modern') void answer(request, response, MODERN)
  else if (url === '/legacy') void answer(request, response, LEGACY)
  else if (url === '/many') void answer(request, response, MANY)
  else if (url === '/slow') setTimeout(() => void answer(request, response, MANY), SLOW_MS)
  else send(response, 200, WEATHER)
})

async function answer(request: IncomingMessage, response: ServerResponse, answers: Answers) {
  if (request.method !== 'POST') return send(response, 405, '')
  const { id, method } = JSON.parse(await text(request)) as { id?: unknown; method: string }
  if (id === undefined) return send(response, 202, '')
  const found = answers[method]
  const session: Headers = answers !== MODERN ? { 'mcp-session-id': 'one' } : {}
  const body = JSON.stringify({ jsonrpc: '2.0', id, ...(found ?? NOT_FOUND) })
  send(response, found === undefined ? 404 : 200, body, session)
}

function send(response: ServerResponse, status: number, body: string, headers: Headers = {}): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
}

server.keepAliveTimeout = 0 // a connection that is closed between two requests is a failed call
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', () => process.send?.(count))
process.on('disconnect', () => process.exit())
