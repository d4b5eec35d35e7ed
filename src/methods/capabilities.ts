/** What `initialize` and `server/discover` advertise: exactly what is answered (§4.5). */
import type { Catalog } from '../catalog/catalog.ts'

type Era = 'legacy' | 'modern'
type Capabilities = Readonly<Record<string, unknown>>

/** Each method's capability is looked up with it, so a catalog's are made once. */
const known: Readonly<Record<Era, WeakMap<Catalog, Capabilities>>> = {
  legacy: new WeakMap(),
  modern: new WeakMap(),
}

/** The capabilities of a server: each where there is something to serve, change notices where it has those. */
export function capabilitiesOf(catalog: Catalog, era: Era): Capabilities {
  const remembered = known[era].get(catalog)
  if (remembered !== undefined) return remembered
  const capabilities = make(catalog, era)
  known[era].set(catalog, capabilities)
  return capabilities
}

function make({ settings, features, upstream }: Catalog, era: Era): Capabilities {
  const changes = settings.notifications ? { listChanged: true } : {}
  // A session takes subscriptions in any case; the stateless era has them on a stream alone.
  const isHeard = era === 'legacy' || settings.notifications
  // A subscription to a remote server's resource is relayed, where it takes any.
  const subscribes = isHeard && (!upstream || upstream.capabilities.resources?.subscribe === true)
  const hasTools = features.tools || !(features.prompts || features.resources)
  return {
    ...(hasTools && { tools: changes }),
    ...(features.prompts && { prompts: changes }),
    ...(features.resources && {
      resources: { ...changes, ...(subscribes && { subscribe: true }) },
    }),
    ...(features.completions && { completions: {} }),
    ...(features.logging && { logging: {} }),
  }
}
