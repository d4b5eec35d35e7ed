/** What went wrong with an authorization server, in words that name its host and hold no secret. */

/**
 * `unreachable`: it did not answer, or not in time; `refused`: it answered with an error of OAuth, whose
 * code is `error`; `unfit`: what it is or says cannot be worked with.
 */
export type OAuthFaultKind = 'unreachable' | 'refused' | 'unfit'

export class OAuthFault extends Error {
  override readonly name = 'OAuthFault'
  readonly kind: OAuthFaultKind
  readonly error: string | undefined

  constructor(
    kind: OAuthFaultKind,
    message: string,
    { error, cause }: { error?: string; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.kind = kind
    this.error = error
  }
}

/** The code of an OAuth error, as far as it is one. */
export function errorCodeOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.-]{1,60}$/.test(value) ? value : undefined
}
