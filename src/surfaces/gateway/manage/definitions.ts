/** The `manage__*` tools, in the order in which they are listed (`surfaces.md` D13). */
import { accountsList } from './accounts-list.ts'
import { accountsRemove } from './accounts-remove.ts'
import { accountsRename } from './accounts-rename.ts'
import { approvalWait } from './approval-wait.ts'
import { connectorsConnect } from './connectors-connect.ts'
import { connectorsList } from './connectors-list.ts'
import { connectorsWait } from './connectors-wait.ts'
import { environmentsList } from './environments-list.ts'
import { keysCreate } from './keys-create.ts'
import { keysList } from './keys-list.ts'
import { keysRevoke } from './keys-revoke.ts'
import { keysRotate } from './keys-rotate.ts'
import type { ManageTool } from './manage-tool.ts'
import { remoteAdd } from './remote-add.ts'
import { remoteList } from './remote-list.ts'
import { remoteRefresh } from './remote-refresh.ts'
import { remoteRemove } from './remote-remove.ts'
import { remoteShow } from './remote-show.ts'
import { sendFeedback } from './send-feedback.ts'
import { serversList } from './servers-list.ts'
import { switchOrg } from './switch-org.ts'
import { toolsPause } from './tools-pause.ts'
import { toolsReorder } from './tools-reorder.ts'
import { toolsResume } from './tools-resume.ts'
import { usage } from './usage.ts'
import { whoami } from './whoami.ts'

export const MANAGE_TOOLS: readonly ManageTool[] = [
  whoami,
  usage,
  accountsList,
  accountsRename,
  accountsRemove,
  connectorsList,
  connectorsConnect,
  connectorsWait,
  remoteList,
  remoteShow,
  remoteAdd,
  remoteRefresh,
  remoteRemove,
  serversList,
  toolsPause,
  toolsResume,
  toolsReorder,
  keysList,
  keysCreate,
  keysRotate,
  keysRevoke,
  environmentsList,
  switchOrg,
  approvalWait,
  sendFeedback,
]
