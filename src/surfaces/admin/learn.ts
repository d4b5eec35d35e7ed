/** What an isolate takes in of its own writes, so that it shows them at once. */
import type { RemovedServer } from '../../objects/organization/server-commands.ts'
import { learnRevision, learnRevoked } from '../platform.ts'
import type { AdminCall } from './call.ts'

/** Notes that a server is gone, and its keys with it. */
export function learnRemoved(
  { platform, organization }: Pick<AdminCall, 'platform' | 'organization'>,
  { id, revision, keyHashes }: RemovedServer,
): void {
  learnRevision(platform, { id, organization, revision })
  for (const hash of keyHashes) learnRevoked(platform, hash)
}
