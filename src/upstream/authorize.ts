/**
 * What an operator adds to every request of a tool or a remote server: constant headers and query
 * members, and authorization by secrets. It comes last, so that nothing a caller sends stands in its
 * place. What an OAuth token authorizes is left to do.
 */
import { isHeaderValue } from '../handlers/headers.ts'
import type { HttpHandlerInput } from '../handlers/http.ts'
import type { OpenOrSecret } from '../handlers/secret.ts'
import { CallFailed } from './http/call.ts'
import { basicCredentials, nameOf, type OpenedSecrets } from './opened-secrets.ts'
import type { OutboundRequest } from './outbound.ts'

/** Members of a query in their order, several of one name too. */
export type Query = [string, string][]

type Constant = Pick<HttpHandlerInput, 'headers' | 'query' | 'auth'>

const NO_CREDENTIALS = { headers: [], query: [] }

/** Puts what is constant on a request, and gives the names of what must not go to another origin. */
export function authorize(
  placed: { headers: OutboundRequest['headers']; query: Query },
  constant: Constant,
  secrets: OpenedSecrets,
): NonNullable<OutboundRequest['credentials']> {
  const { auth } = constant
  if (auth === undefined && constant.headers === undefined && constant.query === undefined) {
    return NO_CREDENTIALS
  }
  const credentials = { headers: [] as string[], query: [] as string[] }
  const setHeader = (name: string, value: OpenOrSecret) => {
    placed.headers.set(name.toLowerCase(), requireHeaderValue(secrets, value))
    if (typeof value !== 'string') credentials.headers.push(name)
  }
  const setQuery = (name: string, value: OpenOrSecret) => {
    placed.query = placed.query.filter(([other]) => other !== name)
    placed.query.push([name, secrets.reveal(value)])
    if (typeof value !== 'string') credentials.query.push(name)
  }
  for (const [name, value] of Object.entries(constant.headers ?? {})) setHeader(name, value)
  for (const [name, value] of Object.entries(constant.query ?? {})) setQuery(name, value)
  if (auth?.type === 'header') setHeader(auth.name, auth.value)
  if (auth?.type === 'query') setQuery(auth.name, auth.value)
  if (auth?.type === 'bearer') {
    placed.headers.set('authorization', `Bearer ${requireHeaderValue(secrets, auth.token)}`)
  }
  if (auth?.type === 'basic') {
    placed.headers.set('authorization', basicCredentials(secrets, auth.username, auth.password))
  }
  return credentials
}

/** A URL with members added to its query. */
export function withQuery(url: string, query: Query): string {
  if (query.length === 0) return url
  const sign = !url.includes('?') ? '?' : /[?&]$/.test(url) ? '' : '&'
  return `${url}${sign}${new URLSearchParams(query).toString()}`
}

function requireHeaderValue(secrets: OpenedSecrets, value: OpenOrSecret): string {
  const text = secrets.reveal(value)
  if (isHeaderValue(text)) return text
  const what = typeof value === 'string' ? 'A constant header' : nameOf(value)
  throw new CallFailed(`${what} is not clean enough to stand in a header`)
}
