/** When a caller sees Rollcall's own tools on the gateway. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CapabilitySettings } from '../../src/catalog/surface.ts'
import { withheldManage } from '../../src/visibility/gateway.ts'
import { ENVIRONMENTS, NEUTRAL, PRINCIPALS, settingsOf, viewOf } from '../support/gateway-rows.ts'

describe('withheldManage', () => {
  const FEATURE_OF: Record<string, 'approvals' | 'connectLinks' | 'feedback' | undefined> = {
    approval_wait: 'approvals', // C17
    connectors_list: 'connectLinks', // C18
    connectors_connect: 'connectLinks',
    connectors_wait: 'connectLinks',
    send_feedback: 'feedback', // C19
    whoami: undefined, // C4
    keys_create: undefined,
  }
  for (const [operation, needed] of Object.entries(FEATURE_OF)) {
    it(`${operation}: is there for every caller ${needed ? `where ${needed} is on` : 'at all times'}, as settings say`, () => {
      for (const principal of PRINCIPALS)
        for (const feature of ['approvals', 'connectLinks', 'feedback', 'none'])
          for (const environment of ENVIRONMENTS)
            for (const organization of ['unsaid', 'capability off', 'operation off'])
              for (const member of ['unsaid', 'capability off', 'operation off']) {
                const { view } = viewOf({ ...NEUTRAL, environment, principal })
                const off = (setting: string): CapabilitySettings =>
                  setting === 'operation off'
                    ? { manage: { [operation]: false } }
                    : settingsOf(setting, 'manage')
                const features = {
                  approvals: feature === 'approvals',
                  connectLinks: feature === 'connectLinks',
                  feedback: feature === 'feedback',
                }
                const reason = withheldManage(operation, {
                  ...view,
                  surface: { ...view.surface, features, settings: off(organization) },
                  principal: { ...view.principal, settings: off(member) },
                })
                const isOff = needed !== undefined && feature !== needed
                const expected = isOff
                  ? 'feature_off'
                  : organization !== 'unsaid'
                    ? 'organization_setting'
                    : member !== 'unsaid'
                      ? 'member_setting'
                      : undefined
                assert.equal(reason, expected)
              }
    })
  }
})
