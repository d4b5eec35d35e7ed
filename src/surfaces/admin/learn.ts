/** What an isolate takes in of its own writes of people, so that it shows them at once. */
import { parsePrincipal } from '../../callers/principal.ts'
import type { RemovedPrincipal } from '../../objects/organization/principal-commands.ts'
import { learnRevoked, principalName, type Platform } from '../platform.ts'
import type { AdminCall } from './call.ts'

/** Takes in a principal as it stands now, after something of its own has changed. */
export async function learnPrincipal(
  { platform, organization, stub }: Pick<AdminCall, 'platform' | 'organization' | 'stub'>,
  id: string,
): Promise<void> {
  const text = await stub.principal(id)
  const known = text === undefined ? undefined : parsePrincipal(text)
  if (known === undefined) return
  platform.principals.remember(principalName(organization, id), known.value, known.bytes)
}

/** Notes that the keys of a principal are dead. */
export function learnRevokedKeys(
  platform: Platform,
  { keyHashes }: Pick<RemovedPrincipal, 'keyHashes'>,
): void {
  for (const hash of keyHashes) learnRevoked(platform, hash)
}
