/** The admin API's keys: a key's secret is answered once. What is done with them is in key-acts.ts. */
import { endKey, keysSeen, makeKey, renewKey, requireVisibleKey } from '../key-acts.ts'
import { KeyBody } from '../key-forms.ts'
import {
  cursorOf,
  json,
  limitOf,
  noContent,
  pageOf,
  param,
  readValid,
  writeOf,
  type AdminCall,
} from './call.ts'

export async function createKey(call: AdminCall): Promise<Response> {
  const body = await readValid(call, KeyBody)
  return json(JSON.stringify(await makeKey(call, body, writeOf(call))), 201)
}

export async function listKeys(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const { query } = call
  const filter = {
    server: query.get('server') ?? undefined,
    principal: query.get('principal') ?? undefined,
  }
  const records = await keysSeen(call, filter, cursorOf(call), limit + 1)
  return pageOf(call, records, limit, ({ id }) => id)
}

export async function getKey(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(await requireVisibleKey(call, param(call, 'id'))))
}

/** Gives a key another secret; the old one is dead. */
export async function rotateKey(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(await renewKey(call, param(call, 'id'), writeOf(call))))
}

export async function deleteKey(call: AdminCall): Promise<Response> {
  await endKey(call, param(call, 'id'), writeOf(call))
  return noContent()
}
