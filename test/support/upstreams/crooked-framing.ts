/**
 * How a crooked server puts messages on the wire, the last of which is the answer.
 *
 * - `json`, `json-bytes` (a byte at a time), `json-charset` (`Application/JSON; Charset=UTF-8`)
 * - `sse`, and the same with: `sse-bytes` a byte at a time, `sse-crlf` CRLF ends, `sse-cr` CR ends,
 *   `sse-cr-end` the same with a CR as the last byte, `sse-crlf-bytes` CRLF a byte at a time, `sse-comments` comments between and within, `sse-empty` events whose data
 *   is empty, `sse-unknown` events of unknown types that hold what looks like an answer, `sse-bom` a
 *   byte order mark, `sse-lines` JSON over several data lines, `sse-tight` no space after colons and
 *   unknown fields, `sse-open` no end after the answer, `sse-cut` no blank line after the answer,
 *   which therefore is none
 */
import type { ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'

type Writing = (messages: readonly object[]) => string
type Framing = { type: string; write: Writing; isByByte?: boolean; isOpen?: boolean }

const JSON_TYPE = 'application/json'
const SSE_TYPE = 'text/event-stream'

const json: Writing = (messages) => JSON.stringify(messages.at(-1))
const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`
const sse: Writing = (messages) => messages.map(event).join('')
const withCr: Writing = (messages) => sse(messages).replaceAll('\n', '\r')

/** Each by its name. */
export const FRAMINGS = {
  json: { type: JSON_TYPE, write: json },
  'json-bytes': { type: JSON_TYPE, write: json, isByByte: true },
  'json-charset': { type: 'Application/JSON; Charset=UTF-8', write: json },
  sse: { type: SSE_TYPE, write: sse },
  'sse-bytes': { type: SSE_TYPE, write: sse, isByByte: true },
  'sse-crlf': { type: SSE_TYPE, write: (messages) => sse(messages).replaceAll('\n', '\r\n') },
  'sse-cr': { type: SSE_TYPE, write: (messages) => `${withCr(messages)}:\r` },
  'sse-cr-end': { type: SSE_TYPE, write: withCr },
  'sse-crlf-bytes': {
    type: SSE_TYPE,
    write: (messages) => sse(messages).replaceAll('\n', '\r\n'),
    isByByte: true,
  },
  'sse-comments': {
    type: 'text/event-stream; charset=utf-8',
    write: (messages) =>
      `: hello\n\n${messages.map((one) => `:\n${event(one).replace('\n', '\n: within\n')}`).join(': data: {}\n\n')}`,
  },
  'sse-empty': {
    type: SSE_TYPE,
    write: (messages) =>
      `id: 1\ndata:\n\ndata: \n\n${messages.map((one) => `data\n\n${event(one)}`).join('')}`,
  },
  'sse-unknown': {
    type: SSE_TYPE,
    write: (messages) => {
      const answer = messages.at(-1) as { id: unknown }
      const other = { jsonrpc: '2.0', id: answer.id, result: { content: [], isError: true } }
      const events = ['ping', 'endpoint', 'error'].map(
        (type) => `event: ${type}\ndata: ${JSON.stringify(other)}\n\n`,
      )
      return `${events.join('')}event: ping\ndata: not JSON\n\n${sse(messages)}`
    },
  },
  'sse-bom': { type: SSE_TYPE, write: (messages) => `\u{feff}${sse(messages)}` },
  'sse-lines': {
    type: SSE_TYPE,
    write: (messages) =>
      messages
        .map((one) => `data: ${JSON.stringify(one, null, 2).replaceAll('\n', '\ndata: ')}\n\n`)
        .join(''),
  },
  'sse-tight': {
    type: SSE_TYPE,
    write: (messages) =>
      messages.map((one) => `strange:field\nfield\ndata:${JSON.stringify(one)}\n\n`).join(''),
  },
  'sse-open': { type: SSE_TYPE, write: sse, isOpen: true },
  'sse-cut': { type: SSE_TYPE, write: (messages) => sse(messages).trimEnd() },
} as const satisfies Readonly<Record<string, Framing>>

export type FramingName = keyof typeof FRAMINGS

/** Sends messages so framed. */
export async function sendFramed(
  response: ServerResponse,
  name: FramingName,
  messages: readonly object[],
): Promise<void> {
  const { type, write, isByByte = false, isOpen = false }: Framing = FRAMINGS[name]
  response.writeHead(200, { 'content-type': type })
  const text = write(messages)
  if (isByByte) {
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.of(byte))
      await turn()
    }
  } else {
    response.write(text)
  }
  if (!isOpen) response.end()
}
