/** A Rollcall of its own for a test file: the real Worker, objects and KV on a loopback socket. */
import { join } from 'node:path'
import { createTestHarness, type TestHarness } from 'wrangler'
import './direct-outbound.ts'

export const OPERATOR_TOKEN = 'test-operator-token-0123456789'
export const SEAL_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
export const SESSION_JWT_SECRET = 'test-session-secret-0123456789abcdef'

const ROOT = join(import.meta.dirname, '../..')

export type Answer = {
  status: number
  headers: Headers
  text: string
  /** The parsed body; undefined when it is not JSON. */
  json: any // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
}

export type Rollcall = {
  url: string
  harness: TestHarness
  /** Asks the admin API as the operator; an object body is sent as JSON, a string as it is. */
  admin(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** POSTs a JSON body to a path. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Sends any request. */
  send(path: string, init?: RequestInit): Promise<Answer>
  close(): Promise<void>
}

export type RollcallOptions = { vars?: Record<string, string>; secrets?: Record<string, string> }

/** Starts one; `close` stops it with all it stored. */
export async function startRollcall({ vars, secrets }: RollcallOptions = {}): Promise<Rollcall> {
  const harness = createTestHarness({
    root: ROOT,
    workers: [
      {
        configPath: join(ROOT, 'wrangler.toml'),
        vars: { DEVELOPMENT: '1', ...vars },
        secrets: { OPERATOR_TOKEN, SEAL_KEYS, SESSION_JWT_SECRET, ...secrets },
      },
    ],
  })
  const { url } = await harness.listen()
  const send = async (path: string, init?: RequestInit) =>
    toAnswer(await fetch(new URL(path, url), init))
  return {
    url: url.href.replace(/\/$/, ''),
    harness,
    send,
    admin: (method, path, body, headers = {}) =>
      send(`/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${OPERATOR_TOKEN}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    close: () => harness.close(),
  }
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
