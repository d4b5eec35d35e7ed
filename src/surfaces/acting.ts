/** Who acts in an organization, whichever surface that is on: the admin API or a `manage__*` tool. */
import type { Actor } from '../callers/may.ts'
import type { Organization } from '../objects/organization.ts'
import type { Platform, Visit } from './platform.ts'

export type Acting = {
  platform: Platform
  visit: Visit
  actor: Actor
  organization: string
  stub: DurableObjectStub<Organization>
}
