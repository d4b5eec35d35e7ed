/** `manage__environments_list`: the organization's environments, and what each has. */
import * as z from 'zod'
import { valueOf } from '../../../protocol/http-error.ts'
import { EnvironmentAnswer } from '../../environment-forms.ts'
import { manageTool, READS } from './manage-tool.ts'
import { cutPage, NEXT, PAGE } from './pages.ts'

export const environmentsList = manageTool({
  operation: 'environments_list',
  act: 'environments.read',
  title: 'List environments',
  description:
    'Lists the environments of the organization: narrower endpoints, /mcp/env/<name>, with the servers, accounts and tools that their entries name.',
  input: z.strictObject(PAGE),
  output: z.strictObject({ environments: z.array(EnvironmentAnswer), ...NEXT }),
  hints: READS,
  async run({ stub }, { cursor, limit }) {
    const found = valueOf(await stub.listEnvironments(cursor, limit + 1))
    const { page, next } = cutPage(found, limit, ({ name }) => name)
    return { environments: page, ...next }
  },
})
