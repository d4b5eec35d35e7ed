/** One call of a tool of a remote server that is played message by message, and its answer. */
import { after } from 'node:test'
import type { Connection } from '../../src/upstream/mcp/connection.ts'
import type { Hooks } from '../../src/upstream/mcp/exchange.ts'
import { sendRequest } from '../../src/upstream/mcp/request.ts'
import {
  legacyConnection,
  modernConnection,
  startRemote,
  type Answers,
  type Remote,
  type Write,
} from './remote-mcp.ts'

const open: Remote[] = []
after(() => Promise.all(open.map((remote) => remote.close())))

export const SECRET = 'the-session-id-nobody-may-read'
export const LEGACY = legacyConnection({ sessionId: SECRET })
export const MODERN = modernConnection()
export const CALL = { method: 'tools/call', params: { name: 'x', arguments: { a: 1 } } }
export const RESULT = { content: [], extra: { kept: [1, null] }, resultType: 'complete' }

/** A server that answers a call so, closed once all tests of the file have run. */
export async function remoteOf(call: Write | object, others: Answers = {}): Promise<Remote> {
  const remote = await startRemote({ 'tools/call': call, ...others })
  open.push(remote)
  return remote
}

/** What it answers to the call. */
export const ask = (remote: Remote, connection: Connection, hooks: Hooks = {}) =>
  sendRequest(remote.post, connection, CALL, hooks)

/** What a call is answered with, whatever the server writes. */
export async function answerOf(write: Write, connection: Connection = LEGACY, hooks: Hooks = {}) {
  return ask(await remoteOf(write), connection, hooks)
}

export const response = (id: unknown, result: unknown = RESULT) => ({ jsonrpc: '2.0', id, result })
export const note = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params })
