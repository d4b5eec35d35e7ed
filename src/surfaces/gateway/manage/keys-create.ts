/** `manage__keys_create`: a new key, by who is signed in; no key makes one (`surfaces.md` C7, C46). */
import * as z from 'zod'
import { KEY_KINDS } from '../../../callers/secret.ts'
import { requireValid } from '../../../catalog/issues.ts'
import { makeKey } from '../../key-acts.ts'
import { KeyBody, NewKeyAnswer } from '../../key-forms.ts'
import { ADDS, manageTool } from './manage-tool.ts'

const [OfServer, OfMember] = KeyBody.options

export const keysCreate = manageTool({
  operation: 'keys_create',
  act: 'keys.mint.own',
  title: 'Create a key',
  description:
    'Makes a key and tells its secret, this once: one of your own, or, as an admin, of an agent or of a server. Needs a signed-in session; no API key can do this.',
  input: z.strictObject({
    ...OfMember.shape,
    kind: z.enum(KEY_KINDS).default('member').meta({ description: 'What the key stands for' }),
    principal: z.string().max(100).optional().meta({
      description: 'Id of the member or agent; absent: yourself, or a new agent of the name',
    }),
    server: OfServer.shape.server.optional(),
    tools: OfServer.shape.tools,
  }),
  output: NewKeyAnswer,
  hints: ADDS,
  run: async (call, args) => makeKey(call, requireValid(KeyBody, args), call.write),
})
