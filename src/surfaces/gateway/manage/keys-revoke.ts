/** `manage__keys_revoke`: ends a key for good (`surfaces.md` D14). */
import * as z from 'zod'
import { endKey } from '../../key-acts.ts'
import { manageTool, REPLACES } from './manage-tool.ts'

export const keysRevoke = manageTool({
  operation: 'keys_revoke',
  act: 'keys.revoke.own',
  title: 'Revoke a key',
  description:
    "Ends a key for good: one of your own, or, as an admin, any of the organization's. What uses it stops working.",
  input: z.strictObject({ key: z.string().max(100).meta({ description: 'Id of the key' }) }),
  output: z.strictObject({ revoked: z.string().meta({ description: 'Id of the key' }) }),
  hints: REPLACES,
  async run(call, { key }) {
    await endKey(call, key, call.write)
    return { revoked: key }
  },
})
