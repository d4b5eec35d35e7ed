/**
 * Commands on held calls: hold one, look after it, decide, begin, finish. Each is a transaction, so a
 * crash between two of them finds the call before or after a step, and never runs it twice.
 */
import { mintId } from '../../catalog/names.ts'
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { isObject } from '../../protocol/json-rpc.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { canonicalJson } from '../../sealing/canonical.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { CannotOpen, open, seal, type Place } from '../../sealing/seal.ts'
import type { SealKeys } from '../../sealing/seal-keys.ts'
import { writeAudit } from './audit.ts'
import {
  authorizeCall,
  type AuthorizedCall,
  type CallRefusal,
  type CallToAuthorize,
} from './authorize-call.ts'
import type { Context, Write } from './context.ts'
import type { Claimant } from './credentials.ts'
import { askedOf } from './rule-call.ts'
import {
  closeHeld,
  findHeld,
  findOwnHeld,
  hasRoom,
  heldPlace,
  heldResultPlace,
  noteDecided,
  noteDone,
  noteRunning,
  noteWaiting,
  settleHeld,
  writeHeld,
  type HeldRow,
  type HeldState,
} from './held-rows.ts'

const MAX_HELD_ARGUMENTS_BYTES = 64 * 1024 // a person has to read them
const MAX_KEPT_RESULT_BYTES = 1024 * 1024 // sealed, it has to fit into a row

/** A call as the edge has it, to be held where a rule says so. */
export type CallToHold = CallToAuthorize & {
  /** The tool's name on the gateway. */
  name: string
}

/** Decides a call; one that asks is held, and its id given. */
export async function authorizeOrHold(
  context: Context,
  keys: SealKeys,
  call: CallToHold,
): Promise<AuthorizedCall | { refused: CallRefusal } | 'needs arguments' | { held: string }> {
  const decided = context.transact(() => authorizeCall(context, call))
  return decided === 'asks' ? holdCall(context, keys, call) : decided
}

async function holdCall(
  context: Context,
  keys: SealKeys,
  call: CallToHold,
): Promise<{ held: string } | { refused: CallRefusal }> {
  const { sql, now, organization } = context
  const { args, principal, credential, server, tool, name } = call
  if (args === undefined) throw new Error('a call without arguments was held')
  const { args: text, item } = askedOf(sql, call, new TextDecoder().decode(args))
  if (encodeUtf8(text).length > MAX_HELD_ARGUMENTS_BYTES) {
    const message = 'A person must approve this call, and its arguments are too long to be read'
    return { refused: { code: 'arguments_too_large', message } }
  }
  const id = mintId('apr')
  const sealed = await seal(keys, heldPlace(organization, id), text)
  const { account = null, environment = null } = call
  const made = { principal, credential, server, tool, name, account, environment }
  const row = { ...made, id, sealed, digest: digestOf(text), item, created_at: now }
  const isHeld = context.transact(() => {
    settleHeld(sql, now)
    if (!hasRoom(sql, principal)) return false
    writeHeld(sql, row)
    return true
  })
  if (isHeld) return { held: id }
  const message = 'A person must approve this call, and too many wait for one already'
  return { refused: { code: 'too_many_approvals', message } }
}

/** How a held call stands for its caller, who waits for it by asking; undefined for any that is not its own. */
export async function waitForHeld(
  context: Context,
  keys: SealKeys,
  principal: string,
  id: string,
): Promise<{ state: HeldState; result?: Uint8Array } | undefined> {
  const { sql, now, organization } = context
  const row = context.transact(() => {
    settleHeld(sql, now)
    const found = findOwnHeld(sql, principal, id)
    if (found?.state === 'pending' || found?.state === 'approved') noteWaiting(sql, found, now)
    return found
  })
  if (row === undefined) return undefined
  const { state, result } = row
  const text = result && (await opened(keys, heldResultPlace(organization, id), result))
  return text ? { state, result: new TextEncoder().encode(text) } : { state }
}

/** Decides for a person, once; gives whose call it is. */
export function decideHeld(
  context: Context,
  id: string,
  state: 'approved' | 'denied',
  { actor }: Write,
): HeldRow {
  const { sql, now } = context
  return context.transact(() => {
    settleHeld(sql, now)
    const row = requireHeld(sql, id)
    if (row.state !== 'pending') {
      const message = `This call cannot be decided any more: it is ${row.state}`
      throw new HttpError(409, 'approval_decided', message)
    }
    noteDecided(sql, row, { state, by: actor }, now)
    const act = state === 'approved' ? 'approvals.approve' : 'approvals.deny'
    const { principal, server, tool, digest } = row
    writeAudit(sql, { actor, act, target: id, detail: { principal, server, tool, digest } }, now)
    return requireHeld(sql, id)
  })
}

/** Who begins which call; `run` is one for each try to run it. */
export type Beginning = Claimant & { id: string; run: string }

/** What is to be run now, and with what; it has been marked as running. */
export type Begun = {
  authorized: AuthorizedCall
  server: string
  tool: string
  name: string
  environment: string | null
  /** JSON of the arguments that were approved. */
  args: Uint8Array
}

/**
 * Begins a call that was approved, which is decided anew as if it were made now: by whoever waits, with
 * the account chosen now. `taken` where it is not approved, or another has begun it.
 */
export async function beginHeld(
  context: Context,
  keys: SealKeys,
  { id, run, ...claimant }: Beginning,
): Promise<Begun | 'taken' | { refused: CallRefusal }> {
  const { sql, now, organization } = context
  const found = findOwnHeld(sql, claimant.principal, id)
  if (found?.sealed == null) return 'taken'
  const text = await opened(keys, heldPlace(organization, id), found.sealed)
  return context.transact(() => {
    settleHeld(sql, now)
    const row = findOwnHeld(sql, claimant.principal, id)
    if (row === undefined) return 'taken'
    // Whose answer was lost asks again, and has started nothing yet.
    const isOwnRun = row.state === 'running' && row.run === run
    if (row.state !== 'approved' && !isOwnRun) return 'taken'
    if (text === undefined || digestOf(text) !== row.digest) {
      console.error(`the arguments of ${id} are not those that were approved`)
      closeHeld(sql, row, 'expired')
      return 'taken'
    }
    const { server, tool, name, account, environment, item } = row
    const args = new TextEncoder().encode(text)
    const given = { account: account ?? undefined, environment: environment ?? undefined, args }
    const decided = authorizeCall(context, { ...claimant, server, tool, ...given }, { item })
    if (typeof decided === 'string') throw new Error(`an approved call ${decided}`)
    if ('refused' in decided) return decided
    noteRunning(sql, row, run, now)
    return { authorized: decided, server, tool, name, environment, args }
  })
}

/** How a run ended: with the JSON of its result, or so that nobody knows what it did. */
export type Ending = { id: string; run: string; result: Uint8Array | undefined }

/** Notes the end of a run, also where it was given up for unknown meanwhile. */
export async function finishHeld(
  context: Context,
  keys: SealKeys,
  { id, run, result }: Ending,
): Promise<void> {
  const { sql, now, organization } = context
  const isKept = result !== undefined && result.length <= MAX_KEPT_RESULT_BYTES
  const sealed = isKept
    ? await seal(keys, heldResultPlace(organization, id), new TextDecoder().decode(result))
    : undefined
  context.transact(() => {
    settleHeld(sql, now)
    const row = findHeld(sql, id)
    if (row === undefined || row.run !== run || !['running', 'unknown'].includes(row.state)) return
    if (result === undefined) closeHeld(sql, row, 'unknown')
    else noteDone(sql, row, sealed, now)
  })
}

/** A held call that is there; 404 otherwise. */
export function requireHeld(sql: SqlStorage, id: string): HeldRow {
  const row = findHeld(sql, id)
  if (row !== undefined) return row
  throw new HttpError(404, 'approval_not_found', `There is no held call ${id}`)
}

/** What was sealed; undefined where it cannot be opened any more. */
export async function opened(
  keys: SealKeys,
  place: Place,
  sealed: string,
): Promise<string | undefined> {
  try {
    return await open(keys, place, sealed)
  } catch (error) {
    if (error instanceof CannotOpen) return undefined
    throw error
  }
}

function digestOf(text: string): string {
  const args: unknown = JSON.parse(text)
  return sha256Hex(canonicalJson(isObject(args) ? args : {}))
}
