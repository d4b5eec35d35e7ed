/** The `_meta` of a call of a remote tool: what the operator says beside what the caller does. */
import type { ResolvedRemote } from '../../handlers/remote.ts'
import { isObject, type Params } from '../../protocol/json-rpc.ts'
import type { OpenedSecrets } from '../opened-secrets.ts'
import { asFault } from './post-to.ts'

/** Params with the operator's members in their `_meta`, where they stand whatever the caller says. */
export function withMeta(
  params: Params,
  meta: NonNullable<ResolvedRemote['meta']>,
  secrets: OpenedSecrets,
): Params {
  const { _meta: given } = params
  try {
    const revealed = Object.entries(meta).map(([name, value]) => {
      return [name, typeof value === 'object' ? secrets.reveal(value) : value] as const
    })
    return { ...params, _meta: { ...(isObject(given) && given), ...Object.fromEntries(revealed) } }
  } catch (error) {
    throw asFault(error)
  }
}
