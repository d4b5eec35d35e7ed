/** Sessions as the bench opens and uses them: of the newest revision that has them, answered by events. */
import { LIST, legacy } from '../support/messages.ts'
import { ask, bodyOf, JSON_HEADERS } from './contenders.ts'
import type { Message, Target } from './load.ts'

const REVISION = '2025-11-25'
const OPENED_AT_ONCE = 20

/** All come from one address: it may open as many sessions in a minute as the setting allows at most. */
export const SETTINGS = { INITIALIZE_LIMIT: '6000' }

const headers = {
  ...JSON_HEADERS,
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': REVISION,
}

const PARAMS = {
  protocolVersion: REVISION,
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
}

export const INITIALIZE: Message = {
  headers,
  body: bodyOf(legacy('initialize', PARAMS, 0)),
  status: 200,
  answerBytes: 0,
}

export const INITIALIZED: Message = {
  headers,
  body: () => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  status: 202,
  answerBytes: 0,
}

export const SESSION_LIST: Message = {
  headers,
  body: bodyOf({ ...LIST, id: 0 }),
  status: 200,
  answerBytes: 0,
}

type Place = Pick<Target, 'url' | 'path'>

/** Opens a session; its id. */
export async function openSession(place: Place): Promise<string> {
  const answer = await ask(place, INITIALIZE)
  const session = answer.headers.get('mcp-session-id')
  if (session === null) throw new Error(`no session: ${answer.text}`)
  return session
}

/** Opens many, a few at once. */
export async function openSessions(place: Place, count: number): Promise<string[]> {
  return inBatches(Array.from({ length: count }), () => openSession(place))
}

/** The list's answer in a session, as it comes. */
export async function listIn(place: Place, session: string): Promise<string> {
  return (await ask(place, SESSION_LIST, { 'mcp-session-id': session })).text
}

/** Does some work for each of many, a few at once. */
export async function inBatches<T, R>(
  values: readonly T[],
  work: (value: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < values.length; at += OPENED_AT_ONCE) {
    results.push(...(await Promise.all(values.slice(at, at + OPENED_AT_ONCE).map(work))))
  }
  return results
}
