/** The admin API's sessions: who is in conversation with a server, and ending that. */
import * as z from 'zod'
import { invalid } from '../../catalog/issues.ts'
import { channelOf, findSession } from '../../objects/resident.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { cursorOf, limitOf, noContent, pageOf, param, type AdminCall } from './call.ts'

export const SessionAnswer = z.strictObject({
  id: z.string(),
  caller: z.string().meta({ description: 'Id of the key it is bound to, or anonymous' }),
  revision: z.string(),
  clientInfo: z.record(z.string(), z.unknown()),
  createdAt: z.iso.datetime(),
})

export async function listSessions(call: AdminCall): Promise<Response> {
  const server = call.query.get('server')
  if (server === null) throw invalid([{ path: 'server', message: 'is missing' }])
  valueOf(await call.stub.getServer(server))
  const limit = limitOf(call)
  const channel = channelOf(call.platform.env, server)
  const sessions = await channel.sessions(cursorOf(call), limit + 1)
  const items = sessions.map(({ createdAt, clientInfo, ...session }) => ({
    ...session,
    clientInfo: JSON.parse(clientInfo) as unknown,
    createdAt: new Date(createdAt).toISOString(),
  }))
  return pageOf(call, items, limit, ({ id }) => id)
}

export async function deleteSession(call: AdminCall): Promise<Response> {
  const stub = findSession(call.platform.env, param(call, 'id'))
  if (stub === undefined || !(await stub.end(undefined, call.organization))) {
    throw new HttpError(404, 'session_not_found', 'There is no such session')
  }
  return noContent()
}
