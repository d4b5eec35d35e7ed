/** The `manage__*` tools, in the order in which they are listed (`surfaces.md` D13). */
import { accountsList } from './accounts-list.ts'
import type { ManageTool } from './manage-tool.ts'
import { remoteAdd } from './remote-add.ts'
import { remoteList } from './remote-list.ts'
import { remoteRefresh } from './remote-refresh.ts'
import { remoteRemove } from './remote-remove.ts'
import { remoteShow } from './remote-show.ts'
import { serversList } from './servers-list.ts'
import { toolsPause } from './tools-pause.ts'
import { toolsReorder } from './tools-reorder.ts'
import { toolsResume } from './tools-resume.ts'
import { whoami } from './whoami.ts'

export const MANAGE_TOOLS: readonly ManageTool[] = [
  whoami,
  accountsList,
  remoteList,
  remoteShow,
  remoteAdd,
  remoteRefresh,
  remoteRemove,
  serversList,
  toolsPause,
  toolsResume,
  toolsReorder,
]
