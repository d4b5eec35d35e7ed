/** The protected resource metadata of a hosted server that people sign in to (RFC 9728). */
import type { Platform, Visit } from '../platform.ts'
import { formatMetadata, resourceOf } from '../resource-metadata.ts'
import { notFound } from '../rest-answer.ts'
import { pathOf, type Address } from './access.ts'
import { requireCatalog } from './site.ts'

/** Answers with the metadata of the server at an address; 404 for one that takes no tokens. */
export async function hostedMetadata(
  platform: Platform,
  visit: Visit,
  address: Address,
): Promise<Response> {
  const resource = resourceOf(platform, pathOf(address))
  if (resource === undefined) throw notFound()
  const { settings } = (await requireCatalog(platform, visit, address)).catalog
  if (settings.auth !== 'oauth') throw notFound()
  return formatMetadata(platform, resource, settings)
}
