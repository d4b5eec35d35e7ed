/** What `initialize` and `server/discover` advertise: exactly what is answered (§4.5). */

export const CAPABILITIES: Readonly<Record<string, unknown>> = { tools: {} }
