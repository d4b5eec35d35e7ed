/** Commands on grants and environments: what of what is there is whose. `may` has decided before. */
import { invalid } from '../../catalog/issues.ts'
import { isRemote, needsAccount } from '../../catalog/server.ts'
import type { EnvironmentEntry } from '../../catalog/surface.ts'
import { HttpError, type Detail } from '../../protocol/http-error.ts'
import { findAccount } from './account-rows.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'
import {
  readEnvironments,
  removeEnvironment,
  requireEnvironment,
  writeEnvironment,
  type EnvironmentRecord,
} from './environments.ts'
import {
  EVERYBODY,
  formatGrantee,
  removeGrant,
  requireGrant,
  writeGrant,
  type Grantee,
  type GrantRecord,
} from './grants.ts'
import { findPrincipal } from './principals.ts'
import { findServer } from './servers.ts'
import { noteSurface } from './surface.ts'
import { requireFits } from './visible-accounts.ts'

const MAX_ENVIRONMENTS = 200

export type NewGrant = {
  id: string
  account: string
  to: Grantee
  tools?: readonly string[] | undefined
}

/** Shares an account. */
export function createGrant(context: Context, grant: NewGrant, { actor }: Write): GrantRecord {
  const { sql, now } = context
  const { id, account, to, tools } = grant
  return context.transact(() => {
    const problems = problemsOfGrant(sql, grant)
    if (problems.length > 0) throw invalid(problems)
    writeGrant(sql, { id, account, to, ...(tools && { tools: [...tools] }) }, now)
    if (to === EVERYBODY) noteSurface(sql)
    else requireFits(sql, formatGrantee(to))
    const detail = { account, to, ...(tools && { tools: tools.length }) }
    writeAudit(sql, { actor, act: 'grants.create', target: id, detail }, now)
    return requireGrant(sql, id)
  })
}

/** Takes back that an account is shared. */
export function deleteGrant(context: Context, id: string, { actor }: Write): void {
  const { sql, now } = context
  context.transact(() => {
    const grant = requireGrant(sql, id)
    const { account, to } = grant
    removeGrant(sql, grant)
    if (to === EVERYBODY) noteSurface(sql)
    writeAudit(sql, { actor, act: 'grants.delete', target: id, detail: { account, to } }, now)
  })
}

/** Makes an environment, or replaces what it has; `created` says which. */
export function putEnvironment(
  context: Context,
  name: string,
  entries: readonly EnvironmentEntry[],
  { actor }: Write,
  isNew = false,
): { environment: EnvironmentRecord; created: boolean } {
  const { sql, now } = context
  return context.transact(() => {
    const known = readEnvironments(sql)
    const isKnown = Object.hasOwn(known, name)
    if (isNew && isKnown) {
      throw new HttpError(409, 'environment_taken', `There is an environment "${name}" already`)
    }
    if (!isKnown && Object.keys(known).length >= MAX_ENVIRONMENTS) {
      throw new HttpError(413, 'too_many_environments', `There may be ${MAX_ENVIRONMENTS}`)
    }
    const problems = entries.flatMap((entry, index) => problemsOfEntry(sql, entries, entry, index))
    if (problems.length > 0) throw invalid(problems)
    if (JSON.stringify(known[name]) !== JSON.stringify(entries)) {
      writeEnvironment(sql, name, entries, now)
      noteSurface(sql)
      const detail = { entries: entries.length }
      writeAudit(sql, { actor, act: 'environments.put', target: name, detail }, now)
    }
    return { environment: requireEnvironment(sql, name), created: !isKnown }
  })
}

/** Takes an environment away; keys that are bound to it open nothing from here on. */
export function deleteEnvironment(context: Context, name: string, { actor }: Write): void {
  const { sql, now } = context
  context.transact(() => {
    requireEnvironment(sql, name)
    removeEnvironment(sql, name)
    noteSurface(sql)
    writeAudit(sql, { actor, act: 'environments.delete', target: name }, now)
  })
}

function problemsOfGrant(sql: SqlStorage, { account, to }: NewGrant): Detail[] {
  const found = findAccount(sql, account)
  if (found === undefined) return [{ path: 'account', message: 'is no account here' }]
  if (to === EVERYBODY) return []
  const kind = 'member' in to ? 'member' : 'agent'
  const path = `to.${kind}`
  const id = formatGrantee(to)
  if (findPrincipal(sql, id)?.kind !== kind) return [{ path, message: `is no ${kind} here` }]
  if (found.owner === id) return [{ path, message: 'has the account already: it is its own' }]
  if (kind === 'member' || found.owner === null) return []
  return [{ path, message: "sees accounts of the organization alone, and this is a member's own" }]
}

function problemsOfEntry(
  sql: SqlStorage,
  entries: readonly EnvironmentEntry[],
  { server, account }: EnvironmentEntry,
  index: number,
): Detail[] {
  const at = `entries[${index}]`
  const { live } = findServer(sql, server)
  if (live === undefined) return [{ path: `${at}.server`, message: 'is no server here' }]
  if (!needsAccount(live.settings) && !isRemote(live.settings)) {
    const message = 'is in every environment: it needs no account and is not remote'
    return [{ path: `${at}.server`, message }]
  }
  if (account !== undefined && findAccount(sql, account)?.server !== server) {
    return [{ path: `${at}.account`, message: 'is no account of this server' }]
  }
  const isRepeated = entries
    .slice(0, index)
    .some(
      (other) =>
        other.server === server && (other.account ?? account) === (account ?? other.account),
    )
  if (!isRepeated) return []
  const message = 'stands twice: each entry of a server needs an account of its own'
  return [{ path: at, message }]
}
