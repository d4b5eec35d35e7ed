/** Who asks a hosted server. A caller sees all of its tools, or the names its key is for. */

export type Caller = {
  /** The credential's id; `anonymous` where there is none. */
  id: string
  tools: { names: ReadonlySet<string>; key: string } | undefined
}

export const ANONYMOUS: Caller = { id: 'anonymous', tools: undefined }
