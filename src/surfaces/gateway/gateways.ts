/**
 * The gateways of organizations as this isolate remembers them, and what of each a caller sees. Whoever
 * knows of a newer revision gets no older copy (`design.md` §2).
 */
import type { Principal } from '../../callers/principal.ts'
import { loadGateway, type Gateway } from '../../catalog/gateway.ts'
import { readPublished, surfaceKey } from '../../catalog/kv.ts'
import type { Gone } from '../../catalog/published.ts'
import { Unavailable, type Source } from '../../memory/lookup.ts'
import { organizationOf } from '../../objects/resident.ts'
import type { View } from '../../visibility/gateway.ts'
import { visibleOnGateway, type VisibleTools } from '../../visibility/gateway-list.ts'
import { isNoOlder, learnSurface, surfaceName, type Platform, type Visit } from '../platform.ts'
import { publishAgain } from '../publish-again.ts'
import { retrying } from '../retrying.ts'
import { organizationSuspended } from './caller.ts'
import { MANAGE_TOOLS } from './manage/definitions.ts'

const NAME_BYTES = 50 // what a name in a set takes

/** The gateway of an organization; 403 while that is suspended, `Unavailable` where nothing is known of it. */
export async function requireGateway(
  platform: Platform,
  visit: Visit,
  organization: string,
): Promise<Gateway> {
  const found =
    platform.surfaces.fresh(organization) ??
    (await platform.surfaces.find(organization, gatewaySource(platform, visit), visit.waitUntil))
  const { value } = found
  if (value === undefined || 'deleted' in value) throw new Unavailable('no gateway')
  if (value.surface.status === 'suspended') throw organizationSuspended()
  return value
}

/** The gateway at a revision or a newer one. */
export async function gatewayAtLeast(
  platform: Platform,
  visit: Visit,
  { organization, revision }: Pick<Gateway, 'organization' | 'revision'>,
): Promise<Gateway> {
  learnSurface(platform, organization, revision)
  return requireGateway(platform, visit, organization)
}

/** What a principal sees of a gateway, made once for each of its versions. */
export function visibleTools(
  { selections }: Platform,
  gateway: Gateway,
  who: { principal: Principal; environment: View['environment'] },
): VisibleTools {
  const { organization, id, version } = who.principal
  const key = [organization, gateway.revision, id, version, who.environment ?? ''].join(' ')
  const known = selections.get(key)
  if (known !== undefined) return known
  const visible = visibleOnGateway(gateway, who)
  selections.set(key, visible, 2 * key.length + NAME_BYTES * (visible.names.size + 2))
  return visible
}

/** The gateway of an organization that is known, and so is asked without a limit. */
function gatewaySource(platform: Platform, visit: Visit): Source<Gateway | Gone> {
  const { env, kv, renderings, newest } = platform
  const load = (bytes: Uint8Array<ArrayBuffer>) => loadGateway(bytes, MANAGE_TOOLS, renderings)
  return {
    async published(organization, known) {
      const bytes = known !== undefined && 'bytes' in known ? known.bytes : 0
      const copy = known && { value: known, bytes }
      const read = await readPublished(kv, surfaceKey(organization), copy, load)
      if (read === undefined || read === 'shut') return read
      const told = newest.get(surfaceName(organization))
      // Older than what this isolate knows of: the organization has the newest.
      const isOld = told !== undefined && !isNoOlder(read.value, told)
      return isOld ? undefined : read
    },
    admitMiss: async () => {},
    async origin(organization, isShut) {
      if (isShut)
        publishAgain(platform, visit, organization, { kind: 'surface', name: organization })
      const stub = () => organizationOf(env, organization)
      const bytes = await retrying(() => stub().publishedSurface())
      return bytes && load(bytes)
    },
  }
}
