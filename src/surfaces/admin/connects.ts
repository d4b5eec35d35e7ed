/** The admin API's links by which a person connects an account. */
import * as z from 'zod'
import { ServerId } from '../../catalog/names.ts'
import { AccountAlias } from '../account-acts.ts'
import { createConnectLink, requireVisibleConnect } from '../connect-links.ts'
import { json, param, readValid, writeOf, type AdminCall } from './call.ts'

export const ConnectBody = z.strictObject({
  server: ServerId,
  owner: z.string().max(100).nullable().default(null).meta({
    description: 'The member whose own the account is to be; null: the organization',
  }),
  alias: AccountAlias.optional().meta({
    description: 'Absent: that of the only account there is to connect again, or `default`',
  }),
})

export const ConnectLinkAnswer = z.strictObject({
  id: z.string(),
  url: z.string().meta({ description: 'The page to open, within ten minutes' }),
  expiresAt: z.iso.datetime(),
})

export const ConnectAnswer = z.strictObject({
  id: z.string(),
  server: z.string(),
  owner: z.string().nullable(),
  alias: z.string(),
  state: z.enum(['pending', 'started', 'connected', 'failed', 'expired']),
  problem: z.string().nullable(),
  account: z.string().nullable(),
  createdBy: z.string(),
  expiresAt: z.iso.datetime(),
})

export async function createConnect(call: AdminCall): Promise<Response> {
  const link = await createConnectLink(call, await readValid(call, ConnectBody), writeOf(call))
  const location = { Location: `/api/v1/accounts/connect/${link.id}` }
  return json(JSON.stringify(link), 201, location)
}

export async function getConnect(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(await requireVisibleConnect(call, param(call, 'id'))))
}
