/** `manage__connectors_connect`: a link by which the caller connects an account of its own (C18, C49, D14). */
import * as z from 'zod'
import { HttpError } from '../../../protocol/http-error.ts'
import { AccountAlias } from '../../account-acts.ts'
import { createConnectLink } from '../../connect-links.ts'
import { ADDS, manageTool } from './manage-tool.ts'

export const connectorsConnect = manageTool({
  operation: 'connectors_connect',
  act: 'accounts.write.own',
  title: 'Connect an account',
  description:
    'Gives a link by which you connect an account of your own on a connector, or connect it again: open it in a browser, or have the person open it whom you act for, within ten minutes. Then call manage__connectors_wait with the connect_id.',
  input: z.strictObject({
    connector: z.string().max(100).meta({ description: 'Id of the connector, such as notion' }),
    alias: AccountAlias.optional(),
  }),
  output: z.strictObject({
    connect_id: z.string(),
    url: z.string().meta({ description: 'The link; whoever opens it gives you their account' }),
    expires_at: z.string(),
  }),
  hints: { ...ADDS, openWorldHint: true },
  async run(call, { connector, alias }) {
    const { site, write } = call
    const { capabilities } = site.gateway.surface
    const found = capabilities.find(({ id }) => id === connector)
    if (found?.account !== 'required') {
      throw new HttpError(404, 'connector_not_found', `There is no connector "${connector}"`)
    }
    const wish = { server: found.server, owner: site.caller.principal.id, alias }
    const { id, url, expiresAt } = await createConnectLink(call, wish, write)
    return { connect_id: id, url, expires_at: expiresAt }
  },
})
