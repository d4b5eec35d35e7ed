/**
 * The one function for every request that leaves this deployment.
 */

/** What a deployment allows. */
export type OutboundPolicy = {
  /** Whether plain http may be used: in development alone. */
  allowsHttp: boolean
  /** Whether private addresses may be reached: in development, where it is asked for. */
  allowsPrivate: boolean
}

export type OutboundRequest = {
  url: string
  method: string
  headers: Headers
  body?: string
  signal: AbortSignal
}

export type Outbound = (request: OutboundRequest) => Promise<Response>

/** The outbound function under a policy. */
export function createOutbound({ allowsHttp }: OutboundPolicy): Outbound {
  return ({ url, ...init }) => {
    if (!allowsHttp && !url.startsWith('https:')) throw new TypeError('https only')
    return fetch(url, init)
  }
}
