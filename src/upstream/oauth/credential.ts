/**
 * The credential of an account that was connected by OAuth: `token`, which handlers refer to, and what
 * refreshing it needs, all of it texts and sealed with it.
 */
import type { AccountCredential } from '../../handlers/account-credential.ts'
import { keyOfField } from '../../handlers/secret.ts'
import type { Secrets } from '../world.ts'
import { Client } from './client.ts'
import type { TokenEndpoint, Tokens } from './tokens.ts'

export type Refreshing = { endpoint: TokenEndpoint; refreshToken: string }

/** The credential of tokens, with where newer ones are had. */
export function formatCredential(
  { token, refreshToken, endsAtMs }: Tokens,
  { tokenUrl, client, resource }: TokenEndpoint,
): AccountCredential {
  // A secret of the organization is opened anew each time: it may be another by then.
  const kept: Client = client.secretName === undefined ? client : { ...client, secret: undefined }
  return {
    token,
    ...(endsAtMs !== undefined && { expires_at: String(Math.floor(endsAtMs)) }),
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    token_url: tokenUrl,
    client: JSON.stringify(kept),
    ...(resource !== undefined && { resource }),
  }
}

/** What refreshing an opened credential needs; undefined where it cannot be refreshed. */
export function refreshingOf(secrets: Secrets): Refreshing | undefined {
  const field = (name: string) => secrets.get(keyOfField(name))
  const [refreshToken, tokenUrl, client] = ['refresh_token', 'token_url', 'client'].map(field)
  if (refreshToken === undefined || tokenUrl === undefined || client === undefined) return undefined
  const resource = field('resource')
  const known = readClient(client)
  return known && { endpoint: { tokenUrl, client: known, resource }, refreshToken }
}

/** A credential may have been written by hand, and be none that can be refreshed. */
function readClient(text: string): Client | undefined {
  try {
    return Client.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
