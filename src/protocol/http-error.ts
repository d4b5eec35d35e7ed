/**
 * The error that leaves as an HTTP refusal in REST form. Also how a Durable Object's refusal crosses
 * RPC, where an error's class is lost: as a plain `Outcome` that the caller turns back.
 */

export type Detail = { path: string; message: string }

/** A refusal with its HTTP status, a code to branch on, and for 422 every wrong field. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly code: string
  readonly details: readonly Detail[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    extras: { details?: readonly Detail[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = extras.details
    this.headers = extras.headers ?? {}
  }
}

export type Refusal = { status: number; code: string; message: string; details?: readonly Detail[] }
export type Outcome<T> = { value: T } | { refusal: Refusal }

/** Runs a command and turns an `HttpError` into a plain refusal; anything else goes on as thrown. */
export async function outcomeOf<T>(command: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await command() }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const { status, code, message, details } = error
    return { refusal: { status, code, message, ...(details && { details }) } }
  }
}

/** The value of an outcome, or its refusal thrown again. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (!('refusal' in outcome)) return outcome.value
  const { status, code, message, details } = outcome.refusal
  throw new HttpError(status, code, message, details ? { details } : {})
}
