/** What `initialize` and `server/discover` advertise: exactly what is answered (§4.5). */
import type { Catalog } from '../catalog/catalog.ts'

/** The capabilities of a server, change notices among them where it has those. */
export function capabilitiesOf({ settings }: Catalog): Readonly<Record<string, unknown>> {
  const changes = settings.notifications ? { listChanged: true } : {}
  return { tools: changes }
}
