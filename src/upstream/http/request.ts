/**
 * The request of a call: arguments to path, query, header and body, then what is constant, then
 * authorization. A later one of a name takes the place of an earlier one, so that no argument
 * stands in for a constant or a credential.
 */
import { isHeaderValue } from '../../handlers/headers.ts'
import type { Destination, HttpHandlerInput } from '../../handlers/http.ts'
import { fillUrlTemplate, PathStep, placeholdersOf } from '../../handlers/url-template.ts'
import { authorize, withQuery, type Query } from '../authorize.ts'
import type { OutboundRequest } from '../outbound.ts'
import type { OpenedSecrets } from '../opened-secrets.ts'
import { CallFailed } from './call.ts'

/** What a request is before it is sent. */
export type Built = Pick<
  OutboundRequest,
  'url' | 'method' | 'headers' | 'body' | 'credentials' | 'isPublic'
>

type Args = Readonly<Record<string, unknown>>
type Placed = { query: Query; headers: OutboundRequest['headers']; body: [string, unknown][] }

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * The request for these arguments, or `CallFailed` naming the argument or secret that is wrong. What
 * an OAuth token authorizes is left to do.
 */
export function buildRequest(handler: HttpHandlerInput, args: Args, secrets: OpenedSecrets): Built {
  const { method = 'GET', url } = handler
  const filled = fillUrl(url, args)
  const placed = placeArguments(handler, args)
  const { headers } = placed
  const body = bodyOf(handler.body, method, placed.body)
  if (body !== undefined) headers.set('content-type', BODY_TYPES[handler.body ?? 'json'])
  const credentials = authorize(placed, handler, secrets)
  const isPublic = body === undefined && !asksByHeader(handler)
  return { url: withQuery(filled, placed.query), method, headers, body, credentials, isPublic }
}

/** Whether headers of its own, or a credential, say what is asked for beside the URL. */
function asksByHeader({ headers, auth, arguments: places = {} }: HttpHandlerInput): boolean {
  const isOpen = auth === undefined || auth.type === 'none'
  return (
    !isOpen || headers !== undefined || Object.values(places).some((one) => one.in === 'header')
  )
}

const BODY_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' }

/** The URL with its arguments. */
function fillUrl(url: string, args: Args): string {
  const valueOf = (name: string) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (value === undefined || value === null) {
      throw new CallFailed(`The argument "${name}" is needed: it is part of the URL`)
    }
    return requireText(name, value)
  }
  try {
    return fillUrlTemplate(url, valueOf)
  } catch (error) {
    if (!(error instanceof PathStep)) throw error
    const names = error.names.map((name) => `"${name}"`)
    const message =
      'must not be empty, "." or "..", nor have that as a step: it is part of the path of the URL'
    throw new CallFailed(`The argument ${names.join(' with ')} ${message}`)
  }
}

/** Puts each argument that is not of the path where it goes. */
function placeArguments(handler: HttpHandlerInput, args: Args): Placed {
  const headers = new Map([['accept', 'application/json, */*;q=0.5']])
  const placed: Placed = { query: [], headers, body: [] }
  const inPath = placeholdersOf(handler.url)
  const byDefault = BODY_METHODS.has(handler.method ?? 'GET') ? 'body' : 'query'
  for (const [name, value] of Object.entries(args)) {
    if (inPath.includes(name) || value === undefined) continue
    const given: Destination | undefined = Object.hasOwn(handler.arguments ?? {}, name)
      ? handler.arguments?.[name]
      : undefined
    place(placed, given ?? { in: byDefault }, name, value)
  }
  return placed
}

function place(placed: Placed, destination: Destination, name: string, value: unknown): void {
  if (destination.in === 'path') return
  const target = destination.name ?? name
  if (destination.in === 'body') placed.body.push([target, value])
  else if (destination.in === 'query') appendFields(placed.query, name, target, value)
  else if (value !== null) {
    const text = Array.isArray(value)
      ? value.map((item) => requireText(name, item)).join(', ')
      : requireText(name, value)
    if (!isHeaderValue(text)) {
      throw new CallFailed(
        `The argument "${name}" cannot stand in a header: it has a line end or another character that is not for one`,
      )
    }
    placed.headers.set(target.toLowerCase(), text)
  }
}

function bodyOf(
  type: 'json' | 'form' = 'json',
  method: string,
  members: readonly [string, unknown][],
): string | undefined {
  if (members.length === 0 && !BODY_METHODS.has(method)) return undefined
  if (type === 'json') return JSON.stringify(Object.fromEntries(members))
  const fields: Query = []
  for (const [name, value] of members) appendFields(fields, name, name, value)
  return new URLSearchParams(fields).toString()
}

/** A list is a field for each item; what is null is none. */
function appendFields(fields: Query, argument: string, name: string, value: unknown) {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item !== null) fields.push([name, requireText(argument, item)])
  }
}

function requireText(argument: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.isWellFormed()) return text
  throw new CallFailed(`The argument "${argument}" has half a character in it (a lone surrogate)`)
}
