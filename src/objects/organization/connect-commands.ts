/**
 * Commands on accounts that are connected by a link. Who may ask for one is decided before; who goes
 * through it is the browser that began. An account of the same owner and alias is connected again.
 */
import { connectOf, type Connect } from '../../catalog/connect.ts'
import { invalid } from '../../catalog/issues.ts'
import { mintId } from '../../catalog/names.ts'
import { credentialFieldsOf } from '../../catalog/tool.ts'
import { isAdmin } from '../../callers/may.ts'
import type { ExternalId } from '../../callers/principal.ts'
import type { AccountCredential } from '../../handlers/account-credential.ts'
import { accountFieldsOf } from '../../handlers/secret.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { SealKeys } from '../../sealing/seal-keys.ts'
import {
  addAccount,
  endOf,
  requireConnector,
  requireMember,
  sealCredential,
  written,
  type WrittenAccount,
} from './account-commands.ts'
import { findByAlias, listAccounts, writeAccount } from './account-rows.ts'
import { writeAudit } from './audit.ts'
import {
  addConnect,
  beginConnect,
  endConnect,
  requireConnect,
  requireOpen,
  requireSameBrowser,
  takeNonce,
  toConnect,
  type ConnectRecord,
  type ConnectRow,
} from './connects.ts'
import type { Context, Write } from './context.ts'
import { findPrincipal, notePrincipal } from './principals.ts'
import { organizationSettings, requireOrganization } from './record.ts'
import { requireServer } from './servers.ts'
import { allTools } from './tools.ts'

const DEFAULT_ALIAS = 'default'

export type ConnectWish = {
  server: string
  /** The member whose own the account is to be; null: the organization's. */
  owner: string | null
  /** Absent: that of the only account there is, or `default`. */
  alias?: string | undefined
}

/** Somebody as a page names it, and is to prove to be where there is a sign-in. */
export type Named = { id: string; name: string; externalId?: ExternalId | undefined }

/** All that the page of a link says. */
export type DescribedConnect = ConnectRecord & {
  organizationName: string
  serverName: string
  isRemote: boolean
  /** The member who will hold the account; null: the organization. */
  holder: Named | null
  /** Who is to go through it: the holder, or for the organization whoever of it made the link. */
  person: Named | null
  asks: Connect
}

/** Makes a connect: 409 where links are off or there is nothing to ask for. */
export function createConnect(
  context: Context,
  { server, owner, alias }: ConnectWish,
  { actor }: Write,
): ConnectRecord {
  const { sql, now } = context
  return context.transact(() => {
    requireConnector(sql, server)
    if (owner !== null) requireMember(sql, owner)
    requireAvailable(sql, { server, owner, created_by: actor })
    const connect = { server, owner, alias: alias ?? onlyAlias(sql, server, owner) }
    const row = addConnect(sql, { ...connect, id: mintId('con'), created_by: actor }, now)
    writeAudit(sql, { actor, act: 'connects.create', target: row.id, detail: connect }, now)
    return toConnect(row, now)
  })
}

/** A connect with all that its page says; 404, or 409 where it may not be gone on with. */
export function describeConnect({ sql, now }: Context, id: string): DescribedConnect {
  const row = requireConnect(sql, id)
  const { settings } = requireServer(sql, row.server)
  const holder = row.owner === null ? null : namedOf(sql, row.owner)
  return {
    ...toConnect(row, now),
    organizationName: requireOrganization(sql).name,
    serverName: settings.name,
    isRemote: settings.kind === 'remote',
    holder,
    person: holder ?? namedOf(sql, row.created_by),
    asks: requireAvailable(sql, row),
  }
}

/** Begins in a browser, or begins again there. */
export function startConnect(
  context: Context,
  id: string,
  begun: { browser: string; nonce: string | null; sealed: string | null },
): void {
  const { sql, now } = context
  context.transact(() => {
    requireSameBrowser(requireGoing(sql, id, now), begun.browser)
    beginConnect(sql, id, begun)
  })
}

/** What was kept for the browser that has come back, once. */
export function takeConnect(
  context: Context,
  id: string,
  { browser, nonce }: { browser: string; nonce: string },
): { sealed: string; described: DescribedConnect } {
  const { sql, now } = context
  return context.transact(() => {
    const row = requireGoing(sql, id, now)
    requireSameBrowser(row, browser)
    return { sealed: takeNonce(sql, row, nonce, now), described: describeConnect(context, id) }
  })
}

/** Writes the account that a browser has got the credential of, and ends the connect by it. */
export async function finishConnect(
  context: Context,
  keys: SealKeys,
  id: string,
  { browser, credential }: { browser: string; credential: AccountCredential },
): Promise<WrittenAccount> {
  const { sql, now } = context
  const before = findByAlias(sql, requireConnect(sql, id))
  const account = before?.id ?? mintId('acc')
  const sealed = await sealCredential(context, keys, account, credential)
  return context.transact(() => {
    const connect = requireGoing(sql, id, now)
    requireSameBrowser(connect, browser)
    const { server, owner, alias } = connect
    const known = findByAlias(sql, connect)
    if (known?.id !== before?.id) {
      throw new HttpError(409, 'account_changed', 'The account has just changed; try again')
    }
    const fresh = { sealed, ends_at: endOf(credential), updated_at: now }
    const row = known
      ? { ...known, ...fresh, state: 'connected' as const }
      : { ...fresh, ...newAccount(connect, account, now) }
    if (known) writeAccount(sql, row)
    else addAccount(sql, row)
    endConnect(sql, id, { state: 'connected', account })
    if (owner !== null) notePrincipal(sql, owner) // who waits for it looks again
    const detail = { connect: id, server, owner, alias }
    const actor = owner ?? connect.created_by
    writeAudit(sql, { actor, act: 'accounts.connect', target: account, detail }, now)
    return written(sql, row)
  })
}

/** Ends a connect that came to nothing, by the browser that began it. */
export function failConnect(
  context: Context,
  id: string,
  { browser, problem }: { browser: string; problem: string },
): void {
  const { sql, now } = context
  context.transact(() => {
    const row = requireOpen(sql, id, now)
    requireSameBrowser(row, browser)
    endConnect(sql, id, { state: 'failed', problem })
    if (row.owner !== null) notePrincipal(sql, row.owner)
    const detail = { server: row.server, problem }
    const actor = row.owner ?? row.created_by
    writeAudit(sql, { actor, act: 'connects.fail', target: id, detail }, now)
  })
}

/** A connect that its organization, its owner and its server still let go on. */
function requireGoing(sql: SqlStorage, id: string, now: number): ConnectRow {
  const row = requireOpen(sql, id, now)
  requireConnector(sql, row.server)
  requireAvailable(sql, row)
  return row
}

/** What a connect asks for, or 403, 409. */
function requireAvailable(
  sql: SqlStorage,
  { server, owner, created_by: maker }: Pick<ConnectRow, 'server' | 'owner' | 'created_by'>,
): Connect {
  const { features, status } = organizationSettings(sql)
  if (status === 'suspended') {
    throw new HttpError(403, 'org_suspended', 'This organization is suspended')
  }
  if (!features.connectLinks) {
    throw new HttpError(409, 'connect_links_off', 'Connect links are off in this organization')
  }
  if (owner !== null && findPrincipal(sql, owner)?.status !== 'active') {
    throw new HttpError(403, 'member_suspended', 'This member is suspended')
  }
  if (owner === null && maker !== 'operator' && !administers(sql, maker)) {
    const message = 'Who made this link is no admin of the organization any more'
    throw new HttpError(403, 'admin_required', message)
  }
  const { settings } = requireServer(sql, server)
  const fields = settings.remote
    ? accountFieldsOf(settings.remote)
    : allTools(sql, server).flatMap(({ binding }) => credentialFieldsOf(binding))
  const asks = connectOf(settings, [...new Set(fields)])
  if (asks !== undefined) return asks
  const message = 'The server refers to nothing of an account, and has no "connect"'
  throw new HttpError(409, 'nothing_to_connect', message)
}

function administers(sql: SqlStorage, id: string): boolean {
  const found = findPrincipal(sql, id)
  return found?.status === 'active' && isAdmin(found)
}

/** The alias of a wish that names none. */
function onlyAlias(sql: SqlStorage, server: string, owner: string | null): string {
  const [only, other] = listAccounts(sql, { server, owner: owner ?? 'organization' }, '', 2)
  if (only === undefined) return DEFAULT_ALIAS
  if (other === undefined) return only.alias
  throw invalid([
    { path: 'alias', message: 'is needed: there are several accounts to connect again' },
  ])
}

function newAccount({ server, owner, alias }: ConnectRow, id: string, now: number) {
  return { id, server, owner, alias, identity: null, state: 'connected' as const, created_at: now }
}

function namedOf(sql: SqlStorage, id: string): Named | null {
  const found = findPrincipal(sql, id)
  return found === undefined ? null : { id, name: found.name, externalId: found.externalId }
}
