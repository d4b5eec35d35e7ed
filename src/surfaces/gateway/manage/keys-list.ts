/** `manage__keys_list`: the caller's own keys, or all of them for who administers (`surfaces.md` D14). */
import * as z from 'zod'
import { ServerId } from '../../../catalog/names.ts'
import { keysSeen } from '../../key-acts.ts'
import { KeyAnswer } from '../../key-forms.ts'
import { manageTool, READS } from './manage-tool.ts'
import { cutPage, NEXT, PAGE } from './pages.ts'

export const keysList = manageTool({
  operation: 'keys_list',
  act: 'keys.read.own',
  title: 'List keys',
  description:
    "Lists keys, without their secrets: your own; an admin sees all of the organization's, by principal or server if asked.",
  input: z.strictObject({
    principal: z.string().max(100).optional().meta({
      description: 'Keys of this member or agent alone',
    }),
    server: ServerId.optional().meta({ description: 'Keys of this server alone' }),
    ...PAGE,
  }),
  output: z.strictObject({ keys: z.array(KeyAnswer), ...NEXT }),
  hints: READS,
  async run(call, { principal, server, cursor, limit }) {
    const found = await keysSeen(call, { principal, server }, cursor, limit + 1)
    const { page, next } = cutPage(found, limit, ({ id }) => id)
    return { keys: page, ...next }
  },
})
