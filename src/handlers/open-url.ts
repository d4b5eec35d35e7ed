/** A URL that stands in the open: it is stored, published and exported as it is. */
import * as z from 'zod'

/** An http(s) URL without a credential in it. */
export const OpenUrl = z
  .url({ protocol: /^https?$/ })
  .max(4096)
  .refine(hasNoCredential, 'must have no user, password or fragment; see auth')

function hasNoCredential(url: string): boolean {
  if (!URL.canParse(url)) return true // which is told already
  const { username, password, hash } = new URL(url)
  return username === '' && password === '' && hash === ''
}
