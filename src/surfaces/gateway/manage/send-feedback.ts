/** `manage__send_feedback`: a word to who runs the organization, in its audit log (`surfaces.md` C19). */
import * as z from 'zod'
import { valueOf } from '../../../protocol/http-error.ts'
import { requireSlots } from '../../limits.ts'
import { ADDS, manageTool } from './manage-tool.ts'

const MAX_MESSAGE_LENGTH = 2000
const MESSAGES_A_MINUTE = 10 // of one member or agent: the audit log has a bound

export const sendFeedback = manageTool({
  operation: 'send_feedback',
  act: 'feedback.send',
  title: 'Send feedback',
  description:
    'Sends a message to those who administer the organization; they read it in the audit log, with your name. Do not put secrets in it.',
  input: z.strictObject({
    message: z
      .string()
      .trim()
      .min(1)
      .max(MAX_MESSAGE_LENGTH)
      .meta({ description: 'What you would like to tell them' }),
  }),
  output: z.strictObject({ received_at: z.iso.datetime() }),
  hints: ADDS,
  async run({ platform, site, stub, write }, { message }) {
    await requireSlots(platform, `feedback ${site.caller.principal.id}`, MESSAGES_A_MINUTE)
    return { received_at: valueOf(await stub.sendFeedback(message, write)) }
  },
})
