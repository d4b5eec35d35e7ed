/** What changed stands behind remote servers: their lists are read again with what it is now. */
import type { ServerName } from '../objects/organization/remote-users.ts'
import { upstreamOf } from '../objects/resident.ts'
import type { Acting } from './acting.ts'

/** Has the remote servers read again that use something which was changed. */
export function refreshUsers(
  { platform, visit, organization }: Acting,
  users: readonly ServerName[],
): void {
  for (const { server } of users) {
    visit.waitUntil(upstreamOf(platform.env, server).refreshSoon({ organization, server }))
  }
}
