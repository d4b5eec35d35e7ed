/**
 * What lets calls of a remote server's tools run that asked a person before (`surfaces.md` D19). While
 * calls are held that is for who may decide them: a key could let its own calls through.
 */
import { approvalPolicyOf, type ApprovalPolicy, type ServerSettings } from '../../catalog/server.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { Write } from './context.ts'
import { organizationSettings } from './record.ts'

/** The strictest stands last. */
const POLICIES: readonly ApprovalPolicy[] = [
  'auto_approve_all',
  'require_approval_per_tool',
  'require_approval_all',
]

type Policied = Pick<ServerSettings, 'approvalPolicy'>

/** Whether a server's policy lets more run than it did. */
export function isLooser(before: Policied, after: Policied): boolean {
  const [was, is] = [before, after].map((one) => POLICIES.indexOf(approvalPolicyOf(one)))
  return (is ?? 0) < (was ?? 0)
}

/** Throws 403 where calls are held, and a write is by who may not decide them. */
export function requireMayLoosen(sql: SqlStorage, { decides = true }: Write): void {
  if (decides || !organizationSettings(sql).features.approvals) return
  const message =
    'While calls are held, this needs a session of an admin: it lets tools run unasked'
  throw new HttpError(403, 'session_required', message)
}
