/**
 * Bearer tokens that are made or asked for here, remembered in this isolate until shortly before
 * their end. The secrets behind one are part of the name it is remembered by, as a digest, so that a
 * changed one gets a new token.
 */
import type { StoredAuth } from '../../handlers/remote.ts'
import type { OpenOrSecret } from '../../handlers/secret.ts'
import { BoundedMap } from '../../memory/bounded-map.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import type { OpenedSecrets } from '../opened-secrets.ts'
import { isTold, NoToken } from './call.ts'
import { signJwt } from './signed-jwt.ts'
import { grantToken, type Granting } from './token-endpoint.ts'

const REMEMBERED_BYTES = 1024 * 1024
const MAX_LIFE_MS = 24 * 3_600_000
const MARGIN_MS = 30_000

const remembered = new BoundedMap<{ token: string; endsAt: number }>(REMEMBERED_BYTES)

/** Authorization by a token that is first to be had. */
export type TokenAuth = Extract<StoredAuth, { type: 'oauth2' | 'jwt' | 'jwt_bearer' }>

export type TokenRequest = Omit<Granting, 'auth'> & {
  organization: string
  auth: TokenAuth
  /** A token that was refused: another one is asked for. */
  refused?: string | undefined
}

/** Whether what authorizes a request is such a token. */
export function isByToken(auth: StoredAuth | undefined): auth is TokenAuth {
  return auth?.type === 'oauth2' || auth?.type === 'jwt' || auth?.type === 'jwt_bearer'
}

/** A token, remembered or new; `NoToken` where none can be had. */
export async function tokenFor(request: TokenRequest, now = Date.now()): Promise<string> {
  try {
    return await findToken(request, now)
  } catch (error) {
    throw isTold(error) ? new NoToken(error.message) : error
  }
}

async function findToken(request: TokenRequest, now: number): Promise<string> {
  const { organization, auth, secrets, refused } = request
  const key = sha256Hex(JSON.stringify([organization, auth, revealed(auth, secrets)]))
  const known = remembered.get(key)
  if (known !== undefined && known.endsAt > now && known.token !== refused) {
    secrets.hide(known.token)
    return known.token
  }
  const { token, lifeMs: saidMs } =
    auth.type === 'jwt'
      ? await signJwt(auth, secrets, now)
      : await grantToken({ ...request, auth }, now)
  const lifeMs = Math.min(saidMs, MAX_LIFE_MS)
  const endsAt = now + lifeMs - Math.min(MARGIN_MS, lifeMs / 10)
  remembered.set(key, { token, endsAt }, 2 * (key.length + token.length))
  secrets.hide(token)
  return token
}

/** All that a token hangs on and that is kept as a secret. */
function revealed(auth: TokenAuth, secrets: OpenedSecrets): string[] {
  const values: OpenOrSecret[] =
    auth.type === 'oauth2'
      ? [auth.clientId, auth.clientSecret, ...Object.values(auth.headers ?? {})]
      : [auth.key]
  return values.map((value) => secrets.reveal(value))
}
