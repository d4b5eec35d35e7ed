/** Commands on the settings of an organization, and on whether it is suspended. */
import { NO_RULES, type ApprovalRules } from '../../callers/approval-rules.ts'
import { Features, type CapabilitySettings } from '../../catalog/surface.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'
import {
  organizationSettings,
  requireOrganization,
  writeOrganizationSettings,
  writeOrganizationStatus,
  type OrganizationRecord,
  type OrganizationSettings,
  type OrganizationStatus,
} from './record.ts'
import { noteSurface } from './surface.ts'

/**
 * What a change names: features one by one, capabilities one by one, where null puts one on again, and
 * the rules on calls as a whole, which null takes away.
 */
export type OrganizationSettingsPatch = {
  features?: { [Feature in keyof Features]?: boolean | undefined } | undefined
  capabilities?: Readonly<Record<string, CapabilitySettings[string] | null>> | undefined
  approvals?: ApprovalRules | null | undefined
}

/** The settings as they stand. */
export function readSettings({ sql }: Pick<Context, 'sql'>): OrganizationSettings {
  const { features, capabilities, approvals } = organizationSettings(sql)
  return { features, capabilities, approvals }
}

/** Changes settings; what is not named stays. */
export function patchSettings(
  context: Context,
  patch: OrganizationSettingsPatch,
  { actor }: Write,
): OrganizationSettings {
  const { sql, now, organization } = context
  return context.transact(() => {
    const before = readSettings(context)
    const merged = Object.entries({ ...before.capabilities, ...patch.capabilities })
    const after = {
      features: Features.parse({ ...before.features, ...patch.features }),
      capabilities: Object.fromEntries(
        merged.filter((entry): entry is [string, CapabilitySettings[string]] => entry[1] !== null),
      ),
      approvals: patch.approvals === null ? NO_RULES : (patch.approvals ?? before.approvals),
    }
    if (JSON.stringify(after) === JSON.stringify(before)) return before
    writeOrganizationSettings(sql, after, now)
    noteSurface(sql)
    writeAudit(sql, { actor, act: 'settings.patch', target: organization, detail: patch }, now)
    return after
  })
}

/** Suspends the organization, or takes that back. */
export function setStatus(
  context: Context,
  status: OrganizationStatus,
  { actor }: Write,
): OrganizationRecord {
  const { sql, now, organization: target } = context
  return context.transact(() => {
    const before = requireOrganization(sql)
    if (before.status === status) return before
    writeOrganizationStatus(sql, status, now)
    noteSurface(sql)
    writeAudit(sql, { actor, act: 'organizations.status', target, detail: { status } }, now)
    return requireOrganization(sql)
  })
}
