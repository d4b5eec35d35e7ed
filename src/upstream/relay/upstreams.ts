/** How connections to remote servers are had, declared for whoever relays a request. */
import type { Connection } from '../mcp/connection.ts'
import type { Wanted } from '../mcp/listen.ts'
import type { Target } from './target.ts'

/** Whose connection is wanted, and what may be asked of its client over it. */
export type Want = {
  /** The client capabilities that can be relayed; none over a connection that is shared. */
  capabilities: Readonly<Record<string, unknown>>
  /** The session whose own connection it is; undefined for the one that is shared. */
  session: string | undefined
}

export type Upstreams = {
  /** The connection to a remote server; throws an UpstreamFault where there is none. */
  connect: (target: Target, want: Want) => Promise<Connection>
  /** One in place of a connection that has failed: a new session, or the era found out again. */
  replace: (
    target: Target,
    want: Want,
    failed: Connection,
    how: 'reopen' | 'probe',
  ) => Promise<Connection>
  /** Reads the lists again, and gives a tool's input schema as it is now; undefined where it is gone. */
  relist: (target: Target, tool: string) => Promise<unknown>
  /** Wants to hear of changes for a time, by way of the server's Channel. */
  watch: (target: Target, wanted: Wanted, leaseMs: number) => Promise<void>
  /** Has the lists read again, some time soon. */
  refreshSoon: (target: Target) => Promise<void>
}
