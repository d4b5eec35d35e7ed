/**
 * The server a request is for, found and checked, with who asks. Also how its catalog is had no
 * older than something else is known to be (`design.md` §2, "Staleness is a number").
 */
import type { Caller } from '../../callers/caller.ts'
import { Catalog } from '../../catalog/catalog.ts'
import { SERVER_ID, Slug } from '../../catalog/names.ts'
import { hasHostedFace } from '../../catalog/server.ts'
import type { Gone } from '../../catalog/published.ts'
import { Unavailable, type Found } from '../../memory/lookup.ts'
import type { Exchange } from '../../methods/exchange.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { forgetMemberships, type Platform, type Visit } from '../platform.ts'
import { notFound } from '../rest-answer.ts'
import { commonExchange, serverAtLeast } from '../serving.ts'
import { checkSource, revisionSource, serverSource, vanitySource } from '../sources.ts'
import { PERIOD_SECONDS, takeSlot } from '../limits.ts'
import { invalidKey, limitKey, type Address } from './access.ts'

export type Site = {
  platform: Platform
  visit: Visit
  catalog: Catalog
  caller: Caller
  /** How many deployments of ours the request came through. */
  hops: number
}

export type Shown = { catalog: Catalog; staleMs: number }

/** The server at an address and how stale its copy is; 404 for everything else alike. */
export async function requireCatalog(
  platform: Platform,
  visit: Visit,
  { slug, id }: Address,
): Promise<Shown> {
  const isSlug = Slug.safeParse(slug).success
  const found = id ?? (isSlug ? await vanityServer(platform, visit, slug) : undefined)
  if (found === undefined || !SERVER_ID.test(found)) throw notFound()
  const source = serverSource(platform, visit)
  return requireShown(await platform.servers.find(found, source, visit.waitUntil), { slug, id })
}

/** The same from memory, without a promise; undefined when it is not fresh there. */
export function freshCatalog({ servers }: Platform, address: Address): Shown | undefined {
  const found = address.id === undefined ? undefined : servers.fresh(address.id)
  return found && requireShown(found, address)
}

function requireShown({ value, staleMs }: Found<Catalog | Gone>, { slug, id }: Address): Shown {
  if (!isShown(value) || value.settings.slug !== slug) throw notFound()
  if (id === undefined && !value.settings.vanity) throw notFound()
  return { catalog: value, staleMs }
}

/** A server that answers: 503 while it is paused, 404 when it is gone. */
export function requireServing(server: Catalog | Gone | undefined): Catalog {
  if (!isShown(server)) throw notFound()
  if (server.settings.status === 'active') return server
  throw new HttpError(503, 'server_paused', 'This server is paused')
}

/** What methods are given of a site to answer from. */
export function exchangeOf(
  site: Site,
): Omit<Exchange, 'revision' | 'params' | 'clientCapabilities'> {
  const { catalog, caller, platform, visit, hops } = site
  return {
    ...commonExchange(platform, visit, catalog),
    caller,
    hops,
    takeCall: (tool, perMinute) => takeCall(site, tool, perMinute),
    verified: () => verified(site),
    catalogAt: (revision) => catalogAt(site, revision),
  }
}

/** The site with its catalog at this revision or a newer one. */
export async function atLeast(site: Site, revision: number): Promise<Site> {
  const { platform, visit, catalog } = site
  if (catalog.revision >= revision) return site
  const { id, organization } = catalog
  const value = await serverAtLeast(platform, visit, { id, organization, revision })
  return { ...site, catalog: requireServing(value) }
}

/** What the organization says now: the newest revision, and that the caller may still come in. */
export async function requireCheck(site: Site): Promise<number> {
  const { platform, visit, catalog, caller } = site
  const { person } = caller
  const name = checkName(site)
  const source = checkSource(platform, catalog.organization)
  const { value } =
    platform.checks.fresh(name) ?? (await platform.checks.find(name, source, visit.waitUntil))
  if (value === undefined) throw new Unavailable('the organization did not answer')
  if (!value.credential) {
    if (person !== undefined) forgetMemberships(platform, person)
    throw invalidKey()
  }
  return value.revision
}

function checkName({ catalog, caller: { id, person } }: Site): string {
  return [catalog.id, id, ...(person === undefined ? [] : [person])].join(' ')
}

/** The catalog no older than 5 s, as the organization has it; undefined when it cannot be asked. */
function verified(site: Site): Catalog | Promise<Catalog | undefined> {
  const { platform, catalog } = site
  const check = platform.checks.fresh(checkName(site))?.value
  const isKnown = check?.credential === true && check.revision <= catalog.revision
  return isKnown ? catalog : verifiedNow(site)
}

async function verifiedNow(site: Site): Promise<Catalog | undefined> {
  try {
    return (await atLeast(site, await requireCheck(site))).catalog
  } catch (error) {
    if (error instanceof Unavailable) return undefined // the call then says to retry
    throw error
  }
}

/** A tool is limited for each caller, as its server is. */
async function takeCall(site: Site, tool: string, perMinute: number) {
  const { platform, visit, catalog, caller } = site
  const key = `tool ${catalog.id} ${tool} ${limitKey(catalog, caller, visit)}`
  return (await takeSlot(platform, key, perMinute)) ? undefined : PERIOD_SECONDS
}

async function catalogAt({ platform, visit, catalog }: Site, revision: number) {
  const source = revisionSource(platform, visit, catalog.organization)
  const name = `${catalog.organization}:${catalog.id}:${revision}`
  const { value } = await platform.revisions.find(name, source, visit.waitUntil)
  return value instanceof Catalog ? value : undefined
}

async function vanityServer(platform: Platform, visit: Visit, slug: string) {
  const source = vanitySource(platform, visit)
  const { value } = await platform.vanities.find(slug, source, visit.waitUntil)
  return value?.server
}

function isShown(server: Catalog | Gone | undefined): server is Catalog {
  if (!(server instanceof Catalog) || !hasHostedFace(server.settings)) return false
  return server.settings.status !== 'draft'
}
