/** JWTs before they are checked: their form, their size, and who they say they are from. */
import { decodeJwt, errors } from 'jose'

const MAX_JWT_LENGTH = 8 * 1024
const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/

/** Whether a text has the form of a JWT, and is no key. */
export function isJwt(text: string): boolean {
  return FORM.test(text)
}

/** Who a JWT says to be from, unchecked; undefined where it does not say, or is too long to look at. */
export function claimedIssuer(token: string): string | undefined {
  if (token.length > MAX_JWT_LENGTH) return undefined
  try {
    return decodeJwt(token).iss
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}
