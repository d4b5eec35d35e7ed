/** A remote server's URL that is a secret: what of it must not be told beside the whole. */
import type { OpenedSecrets } from '../opened-secrets.ts'

const MIN_TOKEN_LENGTH = 12 // below it is a word, such as `sse` or `mcp-server`

/** Counts as secret what a remote server may repeat of its URL: the path, and tokens in it and in the query. */
export function hideUrl(secrets: OpenedSecrets, url: string): void {
  const { pathname = '', searchParams = new URLSearchParams() } = URL.parse(url) ?? {}
  if (pathname.length > 1) secrets.hide(pathname)
  for (const part of [...pathname.split('/'), ...searchParams.values()]) {
    if (part.length >= MIN_TOKEN_LENGTH) secrets.hide(part)
  }
}

/** A message of ours that does not name the host. */
export function withoutHost(message: string, url: string): string {
  const host = URL.parse(url)?.hostname ?? ''
  return host === '' ? message : message.replaceAll(host, 'the host of the secret URL')
}
