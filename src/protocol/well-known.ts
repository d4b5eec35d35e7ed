/** Where metadata about authorization may be (`mcp-protocol.md` §7.1, §7.5; RFC 9728, RFC 8414). */

/** Where an issuer's metadata may be, in the order in which it is looked for. */
export function discoveryUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  return [...new Set(urls)]
}

/** Where a protected resource's metadata may be: beside its path, then at the root. */
export function resourceMetadataUrls(resource: string): string[] {
  const { origin, pathname, search } = new URL(resource)
  const path = pathname.replace(/\/$/, '')
  const root = `${origin}/.well-known/oauth-protected-resource`
  return [...new Set([`${root}${path}${search}`, root])]
}
