/**
 * A request that was found, checked and prepared, as plain data, so that it can run where the
 * client's stream is: in the Worker, or in a Session. Secrets in it are sealed still.
 */
import type { Step } from '../handlers/steps.ts'
import type { CallToolResult } from '../protocol/tool.ts'
import type { HttpCall } from '../upstream/http/call.ts'
import type { RelayCall } from '../upstream/relay/relay.ts'

/** What a call is of, for the call log. */
export type Subject = { organization: string; server: string; tool: string; caller: string }

export type Work =
  | { kind: 'static'; steps: readonly Step[]; result: CallToolResult }
  | { kind: 'http'; call: HttpCall }
  | { kind: 'relay'; call: RelayCall }

/** `isUnknown`: the tool may be made up, and is not logged: anybody could fill the log with those. */
export type Prepared = { subject: Subject; work: Work; isUnknown?: boolean }
