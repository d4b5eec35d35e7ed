/** What `initialize` and `server/discover` advertise: exactly what is answered (§4.5). */
import type { Catalog } from '../catalog/catalog.ts'
import type { Kind } from '../catalog/item.ts'

type Era = 'legacy' | 'modern'

/** The capabilities of a server: each where there is something to serve, change notices where it has those. */
export function capabilitiesOf(catalog: Catalog, era: Era): Readonly<Record<string, unknown>> {
  const { settings, features } = catalog
  const changes = settings.notifications ? { listChanged: true } : {}
  const has = (kind: Kind) => catalog.items(kind).length > 0
  const hasResources = has('resources') || has('resourceTemplates')
  const hasOthers = has('prompts') || hasResources
  // A session takes subscriptions in any case; the stateless era has them on a stream alone.
  const subscribes = era === 'legacy' || settings.notifications
  return {
    ...((has('tools') || !hasOthers) && { tools: changes }),
    ...(has('prompts') && { prompts: changes }),
    ...(hasResources && { resources: { ...changes, ...(subscribes && { subscribe: true }) } }),
    ...(features.completions && { completions: {} }),
    ...(features.logging && { logging: {} }),
  }
}
