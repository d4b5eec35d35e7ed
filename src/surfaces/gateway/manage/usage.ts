/** `manage__usage`: how much the credential in use has called, by month. */
import * as z from 'zod'
import { valueOf } from '../../../protocol/http-error.ts'
import { manageTool, READS } from './manage-tool.ts'

export const usage = manageTool({
  operation: 'usage',
  act: 'usage.read',
  title: 'Usage',
  description:
    'Tells how many calls of connectors and servers were made with the credential in use, by calendar month (UTC), newest first, and its monthly cap.',
  input: z.strictObject({}),
  output: z.strictObject({
    credential: z.string().meta({ description: 'Id of the key; signed in, of the member' }),
    monthlyCap: z.int().nullable().meta({ description: 'null: no cap' }),
    months: z.array(
      z.strictObject({
        month: z.string().meta({ description: 'Such as 2026-07' }),
        calls: z.int(),
      }),
    ),
  }),
  hints: READS,
  async run({ site, stub }) {
    const { id, kind } = site.caller.credential
    const isKey = kind === 'member' || kind === 'agent'
    const { monthlyCap = null } = isKey ? valueOf(await stub.getKey(id)) : {}
    return { credential: id, monthlyCap, months: valueOf(await stub.usage(id)) }
  },
})
