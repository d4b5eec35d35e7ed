/** Commands on what is switched on and off in an organization, and on whether it is suspended. */
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

/** What a change names: features one by one, capabilities one by one; null puts one on again. */
export type OrganizationSettingsPatch = {
  features?: { [Feature in keyof Features]?: boolean | undefined } | undefined
  capabilities?: Readonly<Record<string, CapabilitySettings[string] | null>> | undefined
}

/** What is switched on and off. */
export function readSettings({ sql }: Pick<Context, 'sql'>): OrganizationSettings {
  const { features, capabilities } = organizationSettings(sql)
  return { features, capabilities }
}

/** Switches features and capabilities; what is not named stays. */
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
