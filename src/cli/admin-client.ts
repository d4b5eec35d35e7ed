/** The admin API as the command line speaks it: HTTP, the operator's token, JSON (`design.md` §8). */
import { escapeControls } from './plain-text.ts'

type Detail = { path: string; message: string }

/** What stands in the way of an answer: a refusal, with its status, or nobody there, with 0. */
export class AdminError extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly Detail[]

  constructor(status: number, code: string, message: string, details: readonly Detail[] = []) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** A success: its JSON, and the revision that its `ETag` names. */
export type AdminAnswer = { body: unknown; revision: string | undefined }

export type AdminClient = {
  get(path: string): Promise<AdminAnswer>
  post(path: string, body: string): Promise<AdminAnswer>
  /** Replaces what is there; only if it is at `revision`, where that is given. */
  put(path: string, body: string, revision?: string): Promise<AdminAnswer>
}

/** A client of the deployment at `url`, in an organization or the default one. */
export function createAdminClient(url: string, token: string, organization?: string): AdminClient {
  const ask = async (
    method: string,
    path: string,
    body?: string,
    revision?: string,
  ): Promise<AdminAnswer> => {
    const response = await reach(url, `/api/v1${path}`, {
      method,
      redirect: 'manual', // the token and a change are meant for this address alone
      headers: {
        authorization: `Bearer ${token}`,
        ...(organization !== undefined && { 'rollcall-organization': organization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(revision !== undefined && { 'if-match': `"${revision}"` }),
      },
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    const value = parse(text)
    if (!response.ok) throw refusalOf(response, value)
    if (value === undefined) {
      throw new AdminError(response.status, 'not_json', `${url} answers what is no admin API`)
    }
    return { body: value, revision: /"(\d+)"/.exec(response.headers.get('etag') ?? '')?.[1] }
  }
  return {
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    put: (path, body, revision) => ask('PUT', path, body, revision),
  }
}

/** An error in lines for people: code and message, then each wrong field. */
export function formatAdminError({ code, message, details }: AdminError): string {
  const lines = [`${code}: ${message}`, ...details.map(formatDetail)]
  return lines.map(escapeControls).join('\n')
}

function formatDetail({ path, message }: Detail): string {
  return `  ${path} ${message}`
}

async function reach(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url + path, init)
  } catch (error) {
    // fetch says why in the cause, which for several addresses has a code and no message
    const { cause } = error as { cause?: NodeJS.ErrnoException }
    const why = cause?.code ?? cause?.message ?? String(error)
    throw new AdminError(0, 'unreachable', `nobody answers at ${url} (${why})`)
  }
}

function refusalOf({ status, headers }: Response, body: unknown): AdminError {
  const { error } = (body ?? {}) as { error?: Partial<AdminError> }
  if (typeof error?.code === 'string' && typeof error.message === 'string') {
    return new AdminError(status, error.code, error.message, error.details)
  }
  const location = headers.get('location')
  const to = location === null ? '' : ` and points to ${location}; give that as --url`
  return new AdminError(status, `http_${status}`, `the answer is ${status}${to}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
