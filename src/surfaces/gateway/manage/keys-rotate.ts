/** `manage__keys_rotate`: another secret for a key, by who is signed in (`surfaces.md` C7, C46). */
import * as z from 'zod'
import { renewKey } from '../../key-acts.ts'
import { NewKeyAnswer } from '../../key-forms.ts'
import { manageTool } from './manage-tool.ts'

export const keysRotate = manageTool({
  operation: 'keys_rotate',
  act: 'keys.mint.own',
  title: 'Rotate a key',
  description:
    'Gives a key another secret and tells it, this once; the old one is dead at once. Needs a signed-in session; no API key can do this.',
  input: z.strictObject({ key: z.string().max(100).meta({ description: 'Id of the key' }) }),
  output: NewKeyAnswer,
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  run: async (call, { key }) => renewKey(call, key, call.write),
})
