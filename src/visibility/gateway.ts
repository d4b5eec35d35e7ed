/**
 * What a caller sees of an organization's gateway: the one decision that lists, calls and the preview
 * share (`surfaces.md` C1–C20, D12). Visible is not executable: whether an account is for a tool, or
 * has to be authorized anew, a call is told (C8, C9).
 */
import type { Principal } from '../callers/principal.ts'
import { MANAGE } from '../catalog/gateway.ts'
import type {
  Capability,
  CapabilitySettings,
  EnvironmentEntry,
  Features,
  Surface,
} from '../catalog/surface.ts'

export type Reason =
  | 'feature_off'
  | 'organization_setting'
  | 'member_setting'
  | 'no_account'
  | 'not_in_environment'
  | 'not_in_environment_tools'

/** Who looks at what: of an environment that is not there, nothing is seen that it could narrow. */
export type View = { surface: Surface; principal: Principal; environment: string | undefined }

/** The feature that a tool of ours is for (C17–C19); the others are for all. */
const FEATURE_OF: ReadonlyMap<string, keyof Features> = new Map([
  ['approval_wait', 'approvals'],
  ['connectors_list', 'connectLinks'],
  ['connectors_connect', 'connectLinks'],
  ['connectors_wait', 'connectLinks'],
  ['send_feedback', 'feedback'],
])

/** Why a server's tool is withheld, by its own name there; undefined when it is visible. */
export function withheldOnGateway(
  { capability, operation }: { capability: Capability; operation: string },
  view: View,
): Reason | undefined {
  return (
    withheldBySettings(capability.id, operation, view) ??
    withheldByAccounts(capability, operation, view)
  )
}

/** Why a tool of ours is withheld, by its name after `manage__`; environments leave them (D12). */
export function withheldManage(operation: string, view: View): Reason | undefined {
  const feature = FEATURE_OF.get(operation)
  if (feature !== undefined && !view.surface.features[feature]) return 'feature_off'
  return withheldBySettings(MANAGE, operation, view)
}

/** Off beats on, whoever says it. */
function withheldBySettings(
  capability: string,
  operation: string,
  { surface, principal }: View,
): Reason | undefined {
  if (isOff(surface.settings, capability, operation)) return 'organization_setting'
  if (isOff(principal.settings, capability, operation)) return 'member_setting'
  return undefined
}

function isOff(settings: CapabilitySettings, capability: string, operation: string): boolean {
  if (!Object.hasOwn(settings, capability)) return false
  const setting = settings[capability]
  if (typeof setting !== 'object') return setting === false
  return Object.hasOwn(setting, operation) && setting[operation] === false
}

function withheldByAccounts(
  { server, account, kind }: Capability,
  operation: string,
  view: View,
): Reason | undefined {
  const isConnector = account === 'required'
  const accounts = isConnector ? accountsOf(server, view) : undefined
  if (accounts?.size === 0) return 'no_account'
  // What is built in is in every environment.
  if (view.environment === undefined || (!isConnector && kind === 'hosted')) return undefined
  const entries = entriesOf(view.surface, view.environment).filter((one) => one.server === server)
  if (entries.length === 0) return 'not_in_environment'
  const usable = entries.filter((entry) => isUsable(entry, accounts))
  if (usable.length === 0) return 'no_account'
  const isAllowed = usable.some(({ tools }) => tools === undefined || tools.includes(operation))
  return isAllowed ? undefined : 'not_in_environment_tools'
}

/** The accounts of a server that a caller sees; those of members reach no agent. */
function accountsOf(server: string, { surface, principal }: View): ReadonlySet<string> {
  const shared = surface.shared.filter(
    ({ membersOnly }) => !membersOnly || principal.kind === 'member',
  )
  const seen = [...principal.accounts, ...shared].filter((one) => one.server === server)
  return new Set(seen.map(({ account }) => account))
}

/** The entries of an environment; none where there is none of that name. */
function entriesOf({ environments }: Surface, name: string): readonly EnvironmentEntry[] {
  return Object.hasOwn(environments, name) ? (environments[name] ?? []) : []
}

/** Whether an entry is of the server as a whole, or of an account that the caller sees. */
function isUsable({ account }: EnvironmentEntry, accounts: ReadonlySet<string> | undefined) {
  return account === undefined || accounts === undefined || accounts.has(account)
}
