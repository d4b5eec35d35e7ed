/** What passes over the socket between Channel and the Worker that holds a client's stream. */

/**
 * What goes to a socket: the newest revision there is, with `own` where something has changed that is
 * its principal's own, or a resource whose contents changed.
 */
export type Notice = { revision: number; own?: true } | { updated: string }

/** The code of a socket that was closed for good: the stream ends, and is not opened again. */
export const GOODBYE = 4000
