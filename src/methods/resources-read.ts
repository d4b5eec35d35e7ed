/** `resources/read`: a resource by its URI, or what a template makes of one. */
import type { Catalog } from '../catalog/catalog.ts'
import { Resource, ResourceBinding, ResourceTemplate } from '../catalog/resource.ts'
import { INVALID_PARAMS, RpcError } from '../protocol/json-rpc.ts'
import { MODERN_REVISION } from '../protocol/revisions.ts'
import { matchTemplate } from '../protocol/uri-template.ts'
import { createFill } from '../upstream/static.ts'
import { cacheHints, complete, type Exchange, type Result } from './exchange.ts'

const LEGACY_NOT_FOUND = -32002 // of the session era alone (§1.5)

export type Contents = { uri: string; mimeType?: string; text?: string; blob?: string }

/** The contents at a URI; −32002 for an unknown one, −32602 from 2026-07-28 on. */
export function resourcesRead(exchange: Exchange): Result {
  const { uri } = exchange.params
  if (typeof uri !== 'string')
    throw new RpcError(INVALID_PARAMS, 'Invalid params: a uri is required')
  const contents = findContents(exchange.catalog, uri)
  if (contents === undefined) throw resourceNotFound(exchange, uri)
  return { contents: [contents], ...cacheHints(exchange), ...complete(exchange) }
}

/** The refusal of a URI that is no resource here. */
export function resourceNotFound({ revision }: Pick<Exchange, 'revision'>, uri: string): RpcError {
  const code = revision === MODERN_REVISION ? INVALID_PARAMS : LEGACY_NOT_FOUND
  return new RpcError(code, `Resource not found: ${uri}`, { data: { uri } })
}

/** What stands at a URI: a resource of it, else the first template that it has the form of. */
export function findContents(catalog: Catalog, uri: string): Contents | undefined {
  const item = catalog.find('resources', uri)
  if (item !== undefined) {
    const { mimeType } = Resource.parse(catalog.definition(item))
    return contentsOf(uri, mimeType, ResourceBinding.parse(catalog.binding(item)), {})
  }
  for (const template of catalog.items('resourceTemplates')) {
    const values = matchTemplate(template.name, uri)
    if (values === undefined) continue
    const { mimeType } = ResourceTemplate.parse(catalog.definition(template))
    return contentsOf(uri, mimeType, ResourceBinding.parse(catalog.binding(template)), values)
  }
  return undefined
}

function contentsOf(
  uri: string,
  mimeType: string | undefined,
  { text, blob }: ResourceBinding,
  values: Readonly<Record<string, string>>,
): Contents {
  return {
    uri,
    ...(mimeType !== undefined && { mimeType }),
    ...(text !== undefined && { text: createFill(new Set(Object.keys(values)), values)(text) }),
    ...(blob !== undefined && { blob }),
  }
}
