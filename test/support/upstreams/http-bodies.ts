/** The answers of the HTTP API of the tests whose body is the trick. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { drop, sendText, type SeenRequest } from './recording.ts'

const CHUNK = Buffer.alloc(64 * 1024, 'x')
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'

/** The bytes of `/image.png`: one pixel. */
export const IMAGE_BYTES = Buffer.from(PNG, 'base64')

/** The bytes of `/audio.mp3`: an ID3 tag and one silent frame. */
export const AUDIO_BYTES = Buffer.concat([
  Buffer.from('49443304000000000000', 'hex'),
  Buffer.from('fffb9064', 'hex'),
  Buffer.alloc(413),
])

/** What `/charset` says, in ISO-8859-1. */
export const LATIN_TEXT = 'Grüße aus Köln, 5 £'

/** Streams that many bytes, with no length said, as fast as they are taken. */
export async function sendHuge(
  seen: SeenRequest,
  response: ServerResponse,
  query: URLSearchParams,
) {
  response.writeHead(200, { 'content-type': query.get('type') ?? 'text/plain' })
  let left = Number(query.get('bytes') ?? 10 * 1024 * 1024)
  while (left > 0 && !seen.isAborted) {
    const part = CHUNK.subarray(0, Math.min(left, CHUNK.length))
    left -= part.length
    if (!response.write(part)) await Promise.race([once(response, 'drain'), seen.aborted])
  }
  response.end()
}

/** Sends a text in small parts with pauses between. */
export async function sendDrip(
  seen: SeenRequest,
  response: ServerResponse,
  query: URLSearchParams,
) {
  const parts = Number(query.get('parts') ?? 5)
  const ms = Number(query.get('ms') ?? 10)
  response.writeHead(200, { 'content-type': 'text/plain' })
  for (let part = 0; part < parts && !seen.isAborted; part += 1) {
    response.write(`drop ${part}\n`)
    await pause(ms, undefined, { ref: false })
  }
  response.end()
}

/** Sends the head and the first half of a JSON text, and then nothing, for ever. */
export function sendStall(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"half":')
}

/** Says a length that it does not send, and is gone. */
export function sendShort(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' })
  response.write('only this', () => drop(response))
}

/** JSON in gzip, padded to what `bytes` asks, so that little on the wire is much in memory. */
export function sendGzip(response: ServerResponse, query: URLSearchParams): void {
  const padding = ' '.repeat(Number(query.get('bytes') ?? 0))
  const body = gzipSync(JSON.stringify({ packed: true, padding }))
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
  response.end(body)
}

/** Text in ISO-8859-1, and said to be. */
export function sendLatin(response: ServerResponse): void {
  sendText(response, Buffer.from(LATIN_TEXT, 'latin1'), 'text/plain; charset=ISO-8859-1')
}

/** Text said to be UTF-8 that has bytes which are not. */
export function sendBadUtf8(response: ServerResponse): void {
  const bytes = [Buffer.from('before '), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(' after')]
  sendText(response, Buffer.concat(bytes))
}

/** A short text under very many headers. */
export function sendHeaders(response: ServerResponse, query: URLSearchParams): void {
  const count = Number(query.get('count') ?? 150)
  for (let index = 0; index < count; index += 1) {
    response.setHeader(`x-many-${index}`, `value ${index}`)
  }
  response.setHeader('set-cookie', ['a=1', 'b=2'])
  sendText(response, 'many headers')
}
