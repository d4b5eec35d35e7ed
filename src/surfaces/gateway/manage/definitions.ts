/** The `manage__*` tools, in the order in which they are listed. */
import { accountsList } from './accounts-list.ts'
import type { ManageTool } from './manage-tool.ts'
import { whoami } from './whoami.ts'

export const MANAGE_TOOLS: readonly ManageTool[] = [whoami, accountsList]
