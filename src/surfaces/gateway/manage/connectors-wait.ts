/** `manage__connectors_wait`: how a connect of the caller's own went, waited for a while (C15, C49). */
import * as z from 'zod'
import type { ConnectRecord } from '../../../objects/organization/connects.ts'
import { HttpError, valueOf } from '../../../protocol/http-error.ts'
import { waitFor } from '../../wait.ts'
import { manageTool, READS, type ManageCall } from './manage-tool.ts'

export const connectorsWait = manageTool({
  operation: 'connectors_wait',
  act: 'accounts.write.own',
  title: 'Wait for an account',
  description:
    'Waits until an account of yours was connected by its link, up to 50 seconds; still_waiting: call again.',
  input: z.strictObject({
    connect_id: z.string().max(100).meta({ description: 'As manage__connectors_connect gave it' }),
  }),
  output: z.strictObject({
    status: z.enum(['connected', 'failed', 'expired', 'still_waiting']),
    account: z
      .strictObject({ connector: z.string(), alias: z.string(), identity: z.string().nullable() })
      .optional()
      .meta({ description: 'The account that was connected' }),
    problem: z.string().optional().meta({ description: 'Why it failed' }),
  }),
  hints: READS,
  async run(call, { connect_id: id }) {
    const { caller, platform } = call.site
    const { organization, id: principal } = caller.principal
    const { expiresAt } = await requireOwnConnect(call, id)
    const waiter = { organization, principal, credential: caller.credential.id }
    const over = await waitFor(
      platform,
      waiter,
      async () => {
        const connect = await requireOwnConnect(call, id)
        const isWaiting = connect.state === 'pending' || connect.state === 'started'
        return isWaiting ? undefined : connect
      },
      Date.parse(expiresAt) - Date.now(),
    )
    return over === undefined ? { status: 'still_waiting' as const } : describe(call, over)
  },
})

/** A connect of the caller's own account; 404 for another's as for a made-up one. */
async function requireOwnConnect({ stub, site }: ManageCall, id: string): Promise<ConnectRecord> {
  const outcome = await stub.getConnect(id)
  if ('refusal' in outcome && outcome.refusal.status !== 404) return valueOf(outcome)
  if ('value' in outcome && outcome.value.owner === site.caller.principal.id) return outcome.value
  throw new HttpError(404, 'connect_not_found', `There is no connect "${id}" of yours`)
}

async function describe({ stub, site }: ManageCall, connect: ConnectRecord) {
  const { state, problem, account } = connect
  if (state === 'failed') return { status: state, problem: problem ?? 'It failed' }
  if (state !== 'connected' || account === null) return { status: 'expired' as const }
  const { server, alias, identity } = valueOf(await stub.getAccount(account))
  const { capabilities } = site.gateway.surface
  const connector = capabilities.find((one) => one.server === server)?.id ?? server
  return { status: state, account: { connector, alias, identity } }
}
