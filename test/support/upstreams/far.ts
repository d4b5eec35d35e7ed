/**
 * A remote server that lists what a test says, letter by letter: a session-era one without sessions,
 * that can be told to be as broken as remote servers are.
 *
 * - `tools` is what it lists, as it is, in one page or in pages of `pageSize`.
 * - `answer` writes the answer to any request in its place.
 */
import { sendResult, startRemote, type Remote, type Write } from '../remote-mcp.ts'

export type Far = Remote & {
  tools: readonly unknown[]
  pageSize: number | undefined
  answer: Write | undefined
  /** How many requests of a method there were. */
  count(method: string): number
}

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'far', version: '1' },
}

/** Starts one. */
export async function startFar(tools: readonly unknown[] = []): Promise<Far> {
  const orBroken =
    (write: Write): Write =>
    (seen, response) =>
      (far.answer ?? write)(seen, response)
  const remote = await startRemote({
    initialize: orBroken((seen, response) => sendResult(seen, response, INITIALIZED)),
    'tools/list': orBroken((seen, response) => {
      const start = Number(seen.body.params?.cursor ?? 0)
      const end = start + (far.pageSize ?? far.tools.length)
      sendResult(seen, response, {
        tools: far.tools.slice(start, end),
        ...(end < far.tools.length && { nextCursor: String(end) }),
      })
    }),
    'server/discover': orBroken((_seen, response) => void response.writeHead(404).end()),
    GET: (_seen, response) => void response.writeHead(405).end(),
  })
  const far: Far = {
    ...remote,
    tools,
    pageSize: undefined,
    answer: undefined,
    count: (method) => remote.messages().filter((message) => message.method === method).length,
  }
  return far
}
