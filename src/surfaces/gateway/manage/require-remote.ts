/** The remote server that a call of a `manage__remote_*` tool is about. */
import { isRemote, needsAccount } from '../../../catalog/server.ts'
import type { ServerRecord } from '../../../objects/organization/servers.ts'
import { HttpError, valueOf } from '../../../protocol/http-error.ts'
import type { Acting } from '../../acting.ts'

/** The record of a server; 409 where it is a hosted one, or a connector. */
export async function requireRemote({ stub }: Acting, server: string): Promise<ServerRecord> {
  const record = valueOf(await stub.getServer(server))
  if (isRemote(record.settings) && !needsAccount(record.settings)) return record
  throw new HttpError(409, 'not_remote', 'server is hosted, or a connector; see remote_list')
}
