/** A call of an HTTP tool as plain data, and what comes of it (`design.md` §3). */
import type { HttpHandlerInput } from '../../handlers/http.ts'
import type { CallToolResult } from '../../protocol/tool.ts'
import { MissingSecret } from '../opened-secrets.ts'
import { OutboundRefused } from '../outbound.ts'
import type { Sealed, SealedAccount } from '../world.ts'

export type HttpCall = {
  organization: string
  server: string
  /** The revision of the server that the tool is of. */
  revision: number
  tool: string
  /** As it is stored: defaults are filled in where it runs. */
  handler: HttpHandlerInput
  /** Checked, with defaults, and only those the tool knows of. */
  args: Readonly<Record<string, unknown>>
  sealed: Sealed
  /** The account it is made with, where the handler refers to one. */
  account?: SealedAccount | undefined
  outputSchema?: Readonly<Record<string, unknown>> | undefined
  /** How many deployments of ours the call came through. */
  hops: number
}

/** A result, and what the call log has of its making. */
export type HttpOutcome = {
  result: CallToolResult
  status?: number | undefined
  bytes?: number | undefined
  /** What went wrong, in words that hold no secret. */
  problem?: string | undefined
}

/** Why a call failed, to be told to who called: it names what is wrong and holds no secret. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
}

/** Why a token that authorizes a call could not be had, likewise. */
export class NoToken extends CallFailed {}

/** Whether the message of an error was written for who calls. */
export function isTold(error: unknown): error is Error {
  return (
    error instanceof CallFailed ||
    error instanceof OutboundRefused ||
    error instanceof MissingSecret
  )
}

/** The name of a tool for as long as it does not change. */
export function keyOf({ organization, server, revision, tool }: HttpCall): string {
  return [organization, server, revision, tool].join(' ')
}
