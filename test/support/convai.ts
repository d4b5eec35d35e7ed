/**
 * convai as its official client calls it, every answer checked against what is documented; and what a
 * test needs of an organization for that.
 */
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { assertDocumented } from './convai-documented.ts'
import type { Answer, Rollcall } from './rollcall.ts'

export type Convai = {
  /** The key of a member. */
  key: string
  /** The official client, with that key. It tries once, unless a test says how often. */
  sdk: ElevenLabsClient
  /** How often the official client has asked. */
  asked(): number
  /** Asks as the client would, for what it does not let one send. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

/** A member's key, made by the operator. */
export async function memberKey(
  rollcall: Rollcall,
  { role = 'admin', ...members }: { role?: string } & Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<{ id: string; secret: string; principal: string }> {
  const body = { name: 'convai', kind: 'member', role, ...members }
  const { status, text, json } = await rollcall.admin('POST', '/keys', body, headers)
  if (status !== 201) throw new Error(text)
  return json
}

/** The surface by a key. */
export function convaiOf(rollcall: Rollcall, key: string, maxRetries = 0): Convai {
  let asked = 0
  const checking: typeof fetch = async (input, init) => {
    asked += 1
    const response = await fetch(input, init)
    const { url, method } = new Request(input, init)
    const path = new URL(url).pathname
    const json: unknown = await response.clone().json()
    assertDocumented({ method, path }, { status: response.status, headers: response.headers, json })
    return response
  }
  const sdk = new ElevenLabsClient({
    apiKey: key,
    baseUrl: rollcall.url,
    maxRetries,
    fetch: checking,
  })
  return {
    key,
    sdk,
    asked: () => asked,
    async ask(method, path, body, headers = {}) {
      const answer = await rollcall.send(path, {
        method,
        headers: {
          'xi-api-key': key,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      assertDocumented({ method, path }, answer)
      return answer
    },
  }
}
