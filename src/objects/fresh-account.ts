/**
 * An account whose token does not end in a moment: refreshed before that by whoever holds the lease in
 * its organization, and waited for by the others. Runs in the Worker, or in an Upstream object.
 */
import { openClient } from './open-client.ts'
import { logError } from '../protocol/log.ts'
import type { AccountCredential } from '../handlers/account-credential.ts'
import { valueOf } from '../protocol/http-error.ts'
import { formatCredential, refreshingOf } from '../upstream/oauth/credential.ts'
import { OAuthFault } from '../upstream/oauth/fault.ts'
import { refreshTokens } from '../upstream/oauth/tokens.ts'
import type { SealedAccount, World } from '../upstream/world.ts'
import type { Organization } from './organization.ts'

const BEFORE_MS = 60_000
/** A token that ends sooner than this may have ended when it arrives. */
const STILL_GOOD_MS = 5000
/** Longer than a refresh may take. */
const WAIT_MS = 12_000
const LOOK_AGAIN_MS = 200

/** Why there is no token to call with. */
export type StaleAccount = { code: 'needs_reauth' | 'account_unavailable'; message: string }

export type FreshAccount = { account: SealedAccount } | { refused: StaleAccount }

type Refreshing = {
  world: World
  organization: string
  stub: Pick<
    DurableObjectStub<Organization>,
    'leaseAccount' | 'writeRefreshed' | 'endLease' | 'sealedSecret'
  >
}

const NEEDS_REAUTH: StaleAccount = {
  code: 'needs_reauth',
  message: 'The account must be connected again before it can be used',
}
const UNAVAILABLE: StaleAccount = {
  code: 'account_unavailable',
  message: "The account's token has ended and could not be refreshed just now; retry shortly",
}

/** The account with a token that is good for a while, or why there is none. */
export async function freshAccount(
  refreshing: Refreshing,
  seen: SealedAccount,
): Promise<FreshAccount> {
  const until = Date.now() + WAIT_MS
  let account = seen
  for (;;) {
    const left = leftOf(account)
    if (left > BEFORE_MS) return { account }
    const leased = valueOf(await refreshing.stub.leaseAccount(account.id, account.sealed))
    if (leased === 'gone') return { refused: NEEDS_REAUTH }
    if (leased !== 'leased' && 'lease' in leased) return refresh(refreshing, account, leased.lease)
    if (leased !== 'leased') {
      // Newer tokens may be as short-lived: whoever made them has just tried.
      account = leased.account
      if (leftOf(account) > 0) return { account }
      continue
    }
    if (left > STILL_GOOD_MS) return { account }
    if (Date.now() > until) return { refused: UNAVAILABLE }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

async function refresh(
  { world, organization, stub }: Refreshing,
  account: SealedAccount,
  lease: string,
): Promise<FreshAccount> {
  const { id } = account
  const without = async (isRefused: boolean): Promise<FreshAccount> => {
    valueOf(await stub.endLease(id, lease, isRefused))
    if (isRefused) return { refused: NEEDS_REAUTH }
    return leftOf(account) > 0 ? { account } : { refused: UNAVAILABLE }
  }
  let credential: AccountCredential
  try {
    const refreshed = await newCredential({ world, organization, stub }, account)
    if (refreshed === undefined) return await without(leftOf(account) <= 0)
    credential = refreshed
  } catch (error) {
    if (!(error instanceof OAuthFault)) logError('a token could not be refreshed', error)
    return without(error instanceof OAuthFault && error.error === 'invalid_grant')
  }
  return { account: valueOf(await stub.writeRefreshed({ id, lease, credential })) }
}

/** The credential with newer tokens; undefined where it cannot be refreshed. */
async function newCredential(
  { world, organization, stub }: Refreshing,
  account: SealedAccount,
): Promise<AccountCredential | undefined> {
  const found = refreshingOf(await world.open(organization, {}, account))
  if (found === undefined) return undefined
  const client = await openClient({ world, organization, stub }, found.endpoint.client)
  const endpoint = { ...found.endpoint, client }
  const tokens = await refreshTokens(world.outbound, endpoint, found.refreshToken, Date.now())
  return formatCredential(tokens, endpoint)
}

function leftOf({ endsAtMs = Infinity }: SealedAccount): number {
  return endsAtMs - Date.now()
}
