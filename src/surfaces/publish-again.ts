/** Mending KV: a value there that does not open is published anew by the organization it is of. */
import { logError } from '../protocol/log.ts'
import type { PublicationKind } from '../objects/organization/publications.ts'
import { organizationOf } from '../objects/resident.ts'
import type { Platform, Visit } from './platform.ts'
import { retrying } from './retrying.ts'

/** Has an organization put a value again, while its answer is on its way. */
export function publishAgain(
  { env }: Platform,
  { waitUntil }: Visit,
  organization: string,
  { kind, name }: { kind: PublicationKind; name: string },
): void {
  const ask = () => organizationOf(env, organization).publishAgain(kind, name)
  const failed = (error: unknown) =>
    logError('an organization could not be told that a value does not open', error)
  waitUntil(retrying(ask).catch(failed)) // the next to read it tells it again
}
