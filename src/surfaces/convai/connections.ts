/** Auth connections (`convai-api.md` §1 E19, §6): secrets go in by value and never come back. */
import { takeValues } from '../../catalog/connection-auth.ts'
import { mintId } from '../../catalog/names.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { refreshUsers } from '../refresh-users.ts'
import { answer, param, readBody, writeOf, type ConvaiCall } from './call.ts'
import { authTypeOf, formatConnection } from './connection-answer.ts'
import { toAuth, updatedAuth } from './connection-auth.ts'
import { ConnectionUpdate, NewConnection } from './connection-forms.ts'
import { Unprocessable, wrongOf } from './wrong.ts'

const MAX_ALL = 1000 // that an organization may have

/** Lists all of them. */
export async function listConnections(call: ConvaiCall): Promise<Response> {
  const records = valueOf(await call.stub.listConnections('', MAX_ALL))
  return answer({ auth_connections: records.map((record) => formatConnection(call, record)) })
}

/** Seals the secrets of a new one under its id. */
export async function createConnection(call: ConvaiCall): Promise<Response> {
  const given = await readBody(call, NewConnection)
  requireHttps(call, 'token_url' in given ? given.token_url : undefined)
  const { name, provider } = given
  const id = mintId('ac')
  const connection = { id, name, provider, ...takeValues(id, toAuth(given)) }
  return answer(
    formatConnection(call, valueOf(await call.stub.createConnection(connection, writeOf(call)))),
  )
}

/** Changes one; its type is what it was made with. */
export async function updateConnection(call: ConvaiCall): Promise<Response> {
  const update = await readBody(call, ConnectionUpdate)
  const id = param(call, 'id')
  const before = valueOf(await call.stub.getConnection(id))
  const type = authTypeOf(before.auth)
  if (update.auth_type && update.auth_type !== type) {
    throw wrong('auth_type', `this connection is ${type}`)
  }
  const auth = updatedAuth(before.auth, update)
  const isAnew = JSON.stringify(auth) !== JSON.stringify(before.auth)
  const patch = { provider: update.provider ?? undefined, ...(isAnew && takeValues(id, auth)) }
  const record = valueOf(await call.stub.patchConnection(id, patch, writeOf(call)))
  refreshUsers(call, record.usedBy)
  return answer(formatConnection(call, record))
}

/** Deletes one that nothing uses. */
export async function deleteConnection(call: ConvaiCall): Promise<Response> {
  valueOf(await call.stub.deleteConnection(param(call, 'id'), writeOf(call)))
  return answer({})
}

/** Throws 422 where secrets would be sent in the open; in development they may. */
function requireHttps({ platform }: ConvaiCall, url: string | undefined): void {
  if (url === undefined || platform.settings.DEVELOPMENT || url.startsWith('https:')) return
  throw wrong('token_url', 'must use https')
}

function wrong(field: string, message: string): Unprocessable {
  return new Unprocessable(wrongOf([{ path: field, message }], 'body'))
}
