/** What a remote server, as it is stored, is reached by and stands elsewhere in its organization. */
import { isObject } from '../protocol/json-rpc.ts'
import type { StoredRemote } from './remote.ts'
import { secretsOf } from './secret.ts'
import { labelsIn } from './url-variables.ts'

/** Names of secrets, labels of variables, ids of connections; what those stand for is not among them. */
export type References = { secrets: string[]; variables: string[]; connections: string[] }

/** What a remote server refers to itself. */
export function referencesOf(remote: StoredRemote): References {
  const { url, auth, headers = {}, meta = {} } = remote
  const connection = auth?.type === 'connection' ? auth.connection : undefined
  const members: unknown[] = [...Object.values(headers), ...Object.values(meta), connection]
  const labels = members.flatMap((member) =>
    isObject(member) && typeof member['variable'] === 'string' ? [member['variable']] : [],
  )
  return {
    secrets: secretsOf(remote),
    variables: [...new Set([...(typeof url === 'string' ? labelsIn(url) : []), ...labels])],
    connections: typeof connection === 'string' ? [connection] : [],
  }
}
