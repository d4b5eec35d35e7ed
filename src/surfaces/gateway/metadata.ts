/** The protected resource metadata of `/mcp` and of `/mcp/env/{name}` (RFC 9728). */
import type { Platform } from '../platform.ts'
import { formatMetadata, resourceOf } from '../resource-metadata.ts'
import { notFound } from '../rest-answer.ts'
import { gatewayPath } from './caller.ts'

const ENVIRONMENT = /^[A-Za-z0-9_-]{1,64}$/

/** Answers with the metadata; which environments there are is told to nobody without a token. */
export function gatewayMetadata(platform: Platform, environment: string | undefined): Response {
  const isName = environment === undefined || ENVIRONMENT.test(environment)
  const resource = resourceOf(platform, gatewayPath(environment))
  if (resource === undefined || !isName) throw notFound()
  return formatMetadata(platform, resource, { name: 'Rollcall' })
}
