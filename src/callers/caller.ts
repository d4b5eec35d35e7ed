/** Who asks a hosted server. A caller sees all of its tools, or the names its key is for. */

export type Caller = {
  /** The credential's id; `anonymous` where there is none. */
  id: string
  tools: { names: ReadonlySet<string>; key: string } | undefined
  /** When the credential ends, in ms since the epoch; never: Infinity. */
  expiresAtMs: number
}

export const ANONYMOUS: Caller = { id: 'anonymous', tools: undefined, expiresAtMs: Infinity }
