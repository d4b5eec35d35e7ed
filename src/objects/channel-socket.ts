/** What passes over the socket between Channel and the Worker that holds a client's stream. */

/** What goes to each socket: the newest revision there is. */
export type Notice = { revision: number }

/** The code of a socket that was closed for good: the stream ends, and is not opened again. */
export const GOODBYE = 4000
