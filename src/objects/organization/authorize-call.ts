/**
 * Whether a caller of the gateway may make a call now, and with which account: the organization's own
 * word, asked for each call, since what the edge remembers may be a minute old. Its rules may hold the
 * call for a person, or refuse it. A call that may be made counts against its key's cap for the month (UTC).
 */
import { capabilityOf, isRemote, needsAccount } from '../../catalog/server.ts'
import type { EnvironmentEntry } from '../../catalog/surface.ts'
import type { SealedAccount } from '../../upstream/world.ts'
import { listAccounts, requireAccount, sealedOf } from './account-rows.ts'
import { chooseAccount, hasTool, type AccountRefusal } from './choose-account.ts'
import type { Context } from './context.ts'
import { refusePrincipal, requireKey, type Claimant, type DeadCaller } from './credentials.ts'
import { readEnvironments } from './environments.ts'
import { findPrincipal } from './principals.ts'
import { versionOf } from './publications.ts'
import { organizationSettings } from './record.ts'
import { ruleCall, toolDigest } from './rule-call.ts'
import { seenAccounts } from './seen-accounts.ts'
import { findServer } from './servers.ts'
import { takeCall } from './usage.ts'

const MAX_TRIED = 1000

export type CallToAuthorize = Claimant & {
  server: string
  /** The tool's name on its server. */
  tool: string
  /** The alias that the caller names. */
  account?: string | undefined
  /** The environment of the path; that of a key that is bound to one stands in its place. */
  environment?: string | undefined
  /** JSON of the arguments, which rules look at; left out where there are none, as far as is known. */
  args?: Uint8Array | undefined
}

export type CallRefusal =
  | AccountRefusal
  | {
      code:
        | DeadCaller
        | 'org_suspended'
        | 'environment_not_found'
        | 'environment_mismatch'
        | 'tool_not_found'
        | 'key_spend_limit_exceeded'
        | 'invalid_arguments'
        | 'refused_by_rule'
        | 'arguments_too_large'
        | 'too_many_approvals'
        | 'approvals_off'
        | 'tool_changed'
      message: string
    }

/** What the edge must be no older than, and the account of the call, its credential sealed. */
export type AuthorizedCall = {
  /** Of the server. */
  revision: number
  /** Of the organization's gateway. */
  surface: number
  /** Of the principal. */
  version: number
  account?: SealedAccount
}

/** What comes of a call besides: a rule has to see its arguments, or it is for a person to decide. */
export type Decision = AuthorizedCall | { refused: CallRefusal } | 'needs arguments' | 'asks'

const MESSAGES: Readonly<Record<DeadCaller, string>> = {
  invalid_api_key: 'This key opens nothing any more',
  agent_suspended: 'This agent is suspended',
  member_suspended: 'This member is suspended',
}

/** What a person allowed: this one call, of a tool as it was then. */
export type Allowed = { item: string | null }

/** Decides a call, and counts it where it may be made; a person may have allowed just this one. */
export function authorizeCall(
  { sql, now, organization }: Pick<Context, 'sql' | 'now' | 'organization'>,
  call: CallToAuthorize,
  allowed?: Allowed,
): Decision {
  const { credential, server, tool } = call
  const dead = refusePrincipal(sql, call, now)
  if (dead !== undefined) return refuse(dead, MESSAGES[dead])
  const settings = organizationSettings(sql)
  if (settings.status === 'suspended') {
    return refuse('org_suspended', 'This organization is suspended')
  }
  const principal = findPrincipal(sql, call.principal)
  const { live, revision } = findServer(sql, server)
  const capability = live && capabilityOf(live.settings)
  if (principal === undefined || live === undefined || capability === undefined) {
    return refuse('tool_not_found', 'The tool is no longer there')
  }
  const key = credential === principal.id ? undefined : requireKey(sql, credential)
  const environment = key?.environment ?? call.environment
  const all = environment === undefined ? undefined : environmentOf(sql, environment)
  if (environment !== undefined && all === undefined) {
    return refuse('environment_not_found', `There is no environment "${environment}"`)
  }
  if (allowed !== undefined && environment !== call.environment) {
    return refuse('environment_mismatch', 'The call was held in another environment than the key’s')
  }
  const isNarrowed = needsAccount(live.settings) || isRemote(live.settings)
  const entries = isNarrowed ? all?.filter((entry) => entry.server === server) : undefined
  // Which is not listed there either.
  if (!hasTool(entries, tool)) return refuse('tool_not_found', 'The environment has no such tool')
  const args = call.args && new TextDecoder().decode(call.args)
  const ruling = { settings, server, capability, tool, caller: principal.kind, args }
  const ruled = ruleCall(sql, ruling)
  if (ruled === 'needs arguments') return ruled
  if (ruled === 'gone') return refuse('tool_not_found', 'The tool is no longer there')
  if (ruled === 'refuse') {
    return refuse('refused_by_rule', `A rule of the organization refuses this call of ${tool}`)
  }
  const answer: AuthorizedCall = {
    revision,
    surface: versionOf(sql, 'surface', organization),
    version: principal.version,
  }
  if (needsAccount(live.settings)) {
    const { account: alias } = call
    const chosen = chooseAccount(seenAccounts(sql, principal, server), { tool, alias, entries })
    if ('refused' in chosen) return chosen
    answer.account = sealedOf(requireAccount(sql, chosen.account))
  }
  if (typeof ruled === 'object') {
    return refuse(
      'invalid_arguments',
      `Invalid arguments for ${tool}:\n${ruled.violations.join('\n')}`,
    )
  }
  if (ruled === 'ask' && allowed === undefined) return 'asks'
  if (allowed !== undefined && !settings.features.approvals) {
    return refuse('approvals_off', 'The call has not run: calls are not held here any more')
  }
  if (allowed !== undefined && toolDigest(sql, server, tool) !== allowed.item) {
    const message = `The call has not run: ${tool} has changed since it was held. Make the call again.`
    return refuse('tool_changed', message)
  }
  if (takeCall(sql, credential, key?.monthlyCap, now)) return answer
  return refuse('key_spend_limit_exceeded', 'This key has made all its calls of this month')
}

/** An account of the organization for a tool that its operator tries. */
export function chooseForOperator(
  sql: SqlStorage,
  server: string,
  { tool, alias }: { tool: string; alias: string | undefined },
): SealedAccount | { refused: AccountRefusal } {
  const accounts = listAccounts(sql, { server, owner: 'organization' }, '', MAX_TRIED)
  const seen = accounts.map((account) => ({ ...account, grants: [undefined] }))
  const chosen = chooseAccount(seen, { tool, alias, entries: undefined })
  return 'refused' in chosen ? chosen : sealedOf(requireAccount(sql, chosen.account))
}

function environmentOf(sql: SqlStorage, name: string): EnvironmentEntry[] | undefined {
  const all = readEnvironments(sql)
  return Object.hasOwn(all, name) ? all[name] : undefined
}

function refuse(code: CallRefusal['code'], message: string): { refused: CallRefusal } {
  return { refused: { code, message } }
}
