/** Asking Rollcall over HTTP, always from another address: its limits by address are not the subject. */
import { LIST } from '../support/messages.ts'
import { OPERATOR_TOKEN } from '../support/rollcall.ts'

const TIMEOUT_MS = 15_000

export type Answer = {
  status: number
  /** The revision its ETag names; undefined where there is none. */
  revision: number | undefined
  text: string
  json: any // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
}

export type Client = {
  admin(organization: string, method: string, path: string, body?: object): Promise<Answer>
  list(path: string, secret?: string): Promise<Answer>
}

export function createClient(url: string): Client {
  let asked = 0
  const send = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: object,
  ): Promise<Answer> => {
    const address = `10.${(++asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`
    const response = await fetch(new URL(path, url), {
      method,
      headers: { 'content-type': 'application/json', 'cf-connecting-ip': address, ...headers },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const revision = /^"(\d+)"$/.exec(response.headers.get('etag') ?? '')?.[1]
    return {
      status: response.status,
      revision: revision === undefined ? undefined : Number(revision),
      text,
      json:
        response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : undefined,
    }
  }
  return {
    admin: (organization, method, path, body) =>
      send(
        method,
        `/api/v1${path}`,
        { authorization: `Bearer ${OPERATOR_TOKEN}`, 'rollcall-organization': organization },
        body,
      ),
    list: (path, secret) =>
      send('POST', path, secret === undefined ? {} : { authorization: `Bearer ${secret}` }, LIST),
  }
}
