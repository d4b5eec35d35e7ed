/** Clients of every kind, which call tools and tell what they heard before the answer. */
import { LEGACY_REVISIONS } from '../../src/protocol/revisions.ts'
import { openStream, type EventStream } from './event-stream.ts'
import { legacy, modern, modernHeaders } from './messages.ts'
import type { Rollcall } from './rollcall.ts'
import { openSession } from './sessions.ts'

export const BOTH = 'application/json, text/event-stream'
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'

export type Heard = {
  /** The messages before the answer. */
  before: any[] // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
  /** The answer, with its id; undefined where none came. */
  answer: any // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
}

type Call = (name: string, args?: object, meta?: object) => Promise<Heard>

export type DownstreamKind = {
  revision: string
  /** Whether something can precede an answer. */
  streams: boolean
  connect(rollcall: Rollcall, path: string): Promise<Call>
}

/** Each by what it is. */
export const DOWNSTREAM_KINDS: Readonly<Record<string, DownstreamKind>> = {
  ...Object.fromEntries(
    LEGACY_REVISIONS.map((revision) => [`a session of ${revision}`, inSession(revision, true)]),
  ),
  'a session that takes JSON alone': inSession('2025-11-25', false),
  'a client without a session': {
    revision: '2025-11-25',
    streams: false,
    async connect(rollcall, path) {
      const headers = { accept: BOTH, 'mcp-protocol-version': '2025-11-25' }
      return (name, args, meta) =>
        hear(post(rollcall.url + path, legacyCall(name, args, meta), headers))
    },
  },
  'a modern client': stateless(BOTH),
  'a modern client that takes JSON alone': stateless('application/json'),
}

/** POSTs a message whose answer may be a stream. */
export function post(url: string, message: unknown, headers: Record<string, string>) {
  return openStream(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
  })
}

/** A modern call of a tool, whose answer may be a stream. */
export function modernCall(
  url: string,
  name: string,
  { args = {}, meta = {}, id = 1, accept = BOTH, headers = {}, more = {} }: ModernCall = {},
) {
  const message = modern('tools/call', { name, arguments: args, ...more }, meta, id)
  return post(url, message, { ...modernHeaders('tools/call', name), ...headers, accept })
}

type ModernCall = {
  args?: object
  meta?: object
  id?: string | number
  accept?: string
  headers?: Record<string, string>
  /** Further members of the params. */
  more?: object
}

/** Everything that comes: messages, and the answer at the end. */
export async function hear(opening: Promise<EventStream>): Promise<Heard> {
  const stream = await opening
  const before = []
  for (;;) {
    const message = await stream.message()
    if (message === undefined) return { before, answer: undefined }
    if (!('method' in message)) return { before, answer: message }
    before.push(message)
  }
}

function inSession(revision: string, streams: boolean): DownstreamKind {
  return {
    revision,
    streams,
    async connect(rollcall, path) {
      const { headers } = await openSession(rollcall, path, { revision })
      const accepting = { ...headers, accept: streams ? BOTH : 'application/json' }
      return (name, args, meta) =>
        hear(post(rollcall.url + path, legacyCall(name, args, meta), accepting))
    },
  }
}

function stateless(accept: string): DownstreamKind {
  return {
    revision: '2026-07-28',
    streams: accept === BOTH,
    async connect(rollcall, path) {
      return (name, args, meta) =>
        hear(modernCall(rollcall.url + path, name, { args, meta, accept, id: 7 }))
    },
  }
}

function legacyCall(name: string, args: object = {}, meta?: object) {
  return legacy('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) }, 7)
}
