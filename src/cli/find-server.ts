/** The servers of an organization, found by what people call them. */
import { AdminError, type AdminClient } from './admin-client.ts'
import { Failure } from './command.ts'
import { oneLine } from './plain-text.ts'

const PAGE_ITEMS = 1000

export type Server = { id: string; slug: string; name: string }

/** All servers of the organization, by slug. */
export async function listServers(client: AdminClient): Promise<Server[]> {
  const servers: Server[] = []
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({ limit: String(PAGE_ITEMS), ...(cursor && { cursor }) })
    const { body } = await client.get(`/servers?${query}`)
    const page = body as { items: Server[]; nextCursor?: string }
    servers.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return servers.toSorted((one, other) => (one.slug < other.slug ? -1 : 1))
}

/** The server of an id or slug among those there are. */
export function requireServer(servers: readonly Server[], name: string): Server {
  const found = servers.find(({ id }) => id === name) ?? servers.find(({ slug }) => slug === name)
  if (found === undefined) throw new Failure(`There is no server "${oneLine(name)}" here`)
  return found
}

export type Exported = { file: Record<string, unknown>; revision: string }

/** A server's file as it stands, and its revision; undefined where there is no such server. */
export async function exportServer(client: AdminClient, id: string): Promise<Exported | undefined> {
  try {
    const { body, revision } = await client.get(`/servers/${id}/export`)
    if (revision === undefined) throw new Failure('The deployment names no revision (ETag)')
    return { file: body as Record<string, unknown>, revision }
  } catch (error) {
    if (error instanceof AdminError && error.code === 'server_not_found') return undefined
    throw error
  }
}
