/** A Rollcall of its own for a test file: the real Worker, objects and KV on a loopback socket. */
import { join } from 'node:path'
import { createTestHarness, type TestHarness } from 'wrangler'
import { objectName } from '../../src/objects/resident.ts'
import './direct-outbound.ts'

export const OPERATOR_TOKEN = 'test-operator-token-0123456789'
export const SEAL_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
export const NAME_KEY = Buffer.alloc(32, 7).toString('base64')
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
  /** The name that an object has here, which RESIDENCY strict makes an HMAC. */
  objectName: (name: string) => string
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

export type RollcallOptions = {
  /** Which environment of wrangler.toml; absent: the top level, which is development. */
  env?: string
  vars?: Record<string, string>
  secrets?: Record<string, string>
}

/** Starts one, strict where test/strict has said so; `close` stops it with all it stored. */
export async function startRollcall(options: RollcallOptions = {}): Promise<Rollcall> {
  const { env } = options
  const vars = { DEVELOPMENT: '1', RESIDENCY: process.env['RESIDENCY'] ?? '', ...options.vars }
  const secrets = { OPERATOR_TOKEN, SEAL_KEYS, SESSION_JWT_SECRET, NAME_KEY, ...options.secrets }
  const harness = createTestHarness({
    root: ROOT,
    workers: [
      {
        configPath: join(ROOT, 'wrangler.toml'),
        ...(env !== undefined && { env }),
        vars,
        secrets,
      },
    ],
  })
  const { url } = await harness.listen()
  const send = async (path: string, init?: RequestInit) =>
    toAnswer(await fetch(new URL(path, url), init))
  return {
    url: url.href.replace(/\/$/, ''),
    harness,
    objectName: (name) => objectName({ ...vars, ...secrets }, name),
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
