/**
 * A configuration as it is stored: the settings of a remote server, which are the truth for every surface,
 * and beside them the extras, what convai says that the settings have no place for.
 */
import * as z from 'zod'
import type { Overrides } from '../../catalog/overrides.ts'
import type { ApprovalPolicy } from '../../catalog/server.ts'
import type { StoredRemote } from '../../handlers/remote.ts'
import type { DynamicVariable, SecretLocator } from './locators.ts'
import type { ConfigChange } from './config-form.ts'
import type { InputOverride, SPEECH, ToolConfigChange } from './tool-config-form.ts'

type Given<T> = { [K in keyof T]?: NonNullable<T[K]> | undefined }
type Spoken = z.infer<z.ZodObject<typeof SPEECH>> & Pick<ConfigChange, 'tool_call_sound'>

/** What is kept of one tool; the tools stand in the order in which they were given. */
export type ToolExtras = { tool_name: string } & Given<
  Omit<ToolConfigChange, 'response_timeout_secs' | 'input_overrides'>
> & {
    /** Inputs that a conversation fills, by path. */
    input_overrides?: Readonly<Record<string, InputOverride>> | undefined
    /** The paths of the others where they were not written as we would. */
    paths?: readonly string[] | undefined
  }

export type Extras = {
  speech?: Given<Spoken>
  /** What authorizes when no auth connection does any more. */
  secret_token?: SecretLocator
  request_headers?: Readonly<Record<string, DynamicVariable>> | undefined
  request_meta?: Readonly<Record<string, DynamicVariable>> | undefined
  tools?: readonly ToolExtras[]
}

export type Stored = {
  settings: {
    approvalPolicy?: ApprovalPolicy | undefined
    remote: StoredRemote
    overrides?: Overrides | undefined
  }
  extras: Extras
}

/** Extras from the text that `formatExtras` made. */
export function parseExtras(text: string): Extras {
  return JSON.parse(text) as Extras
}

export function formatExtras(extras: Extras): string {
  return JSON.stringify(extras)
}

/** The members that have a value. */
export function given<T extends object>(members: T): Given<T> {
  const entries = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined,
  )
  return Object.fromEntries(entries) as Given<T>
}
