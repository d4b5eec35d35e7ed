/**
 * How many deployments of ours a request came through. One that calls itself, or two that call each
 * other, would go round for ever; so the fourth in a row refuses.
 */
import { HttpError } from '../protocol/http-error.ts'
import { HOPS_HEADER } from '../upstream/outbound.ts'

const MAX_HOPS = 3

/** The count a request says, or 508 where it is over the bound or no count. */
export function hopsOf(headers: Headers): number {
  const text = headers.get(HOPS_HEADER)
  if (text === null) return 0
  const hops = /^\d{1,3}$/.test(text) ? Number(text) : Infinity
  if (hops <= MAX_HOPS) return hops
  throw new HttpError(
    508,
    'loop_detected',
    `The request came through more than ${MAX_HOPS} deployments`,
  )
}
