/** The admin API's settings of an organization: its features, capabilities that are off, and rules on calls. */
import * as z from 'zod'
import { ApprovalRules } from '../../callers/approval-rules.ts'
import { requireMay } from '../../callers/may.ts'
import { CapabilitySettings, Features } from '../../catalog/surface.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { json, readValid, writeOf, type AdminCall } from './call.ts'

const MAX_CAPABILITIES = 1000
const flag = z.boolean().optional()

/** A change: members named replace; a capability that is null is on again, and rules that are null are none. */
export const OrganizationSettingsPatch = z.strictObject({
  features: z
    .strictObject({ approvals: flag, connectLinks: flag, feedback: flag } satisfies Record<
      keyof Features,
      unknown
    >)
    .optional(),
  capabilities: z
    .record(z.string().min(1).max(100), CapabilitySettings.valueType.nullable())
    .refine(
      (all) => Object.keys(all).length <= MAX_CAPABILITIES,
      `may have ${MAX_CAPABILITIES} members`,
    )
    .optional()
    .meta({
      description: 'By capability: false, or by operation; what is not named is on',
    }),
  approvals: ApprovalRules.nullable().optional().meta({
    description:
      'Which calls run, ask a person or are refused, while the feature approvals is on: the first rule that matches, else the default; null: no rules, and run',
  }),
})

export const SettingsAnswer = z.strictObject({
  features: Features,
  capabilities: CapabilitySettings,
  approvals: ApprovalRules,
})

export async function getSettings(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(valueOf(await call.stub.getSettings())))
}

export async function patchSettings(call: AdminCall): Promise<Response> {
  const patch = await readValid(call, OrganizationSettingsPatch)
  const { approvals, features } = patch
  // Whoever says which calls are held could let its own through: that is for nobody's key.
  if (approvals !== undefined || features?.approvals !== undefined) {
    requireMay(call.actor, 'approvals.decide')
  }
  return json(JSON.stringify(valueOf(await call.stub.patchSettings(patch, writeOf(call)))))
}
