/** What went wrong with an authorization server, as it is told to the person on a page. */
import { HttpError } from '../../protocol/http-error.ts'
import { OAuthFault } from '../../upstream/oauth/fault.ts'

/** The value of work with an authorization server; its fault as 502 that says what it was. */
export async function telling<T>(work: Promise<T> | (() => T | Promise<T>)): Promise<T> {
  try {
    return await (typeof work === 'function' ? work() : work)
  } catch (error) {
    if (!(error instanceof OAuthFault)) throw error
    throw new HttpError(502, `provider_${error.kind}`, error.message)
  }
}
