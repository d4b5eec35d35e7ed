/** Reading a small JSON document over HTTP, such as an issuer's metadata or its keys. */
import { readText } from './bounded-body.ts'
import type { Outbound } from './outbound.ts'

const MAX_DOCUMENT_BYTES = 256 * 1024
const TIMEOUT_MS = 5000

/** A reader of JSON documents that follows no redirect and throws for anything but JSON with 200. */
export function createFetchJson(outbound: Outbound): (url: string) => Promise<unknown> {
  return async (url) => {
    const response = await outbound({
      url,
      method: 'GET',
      headers: new Map([['accept', 'application/json']]),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      maxRedirects: 0,
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new Error(`${new URL(url).host} answered ${response.status}`)
    }
    const { text, isCut } = await readText(response, MAX_DOCUMENT_BYTES)
    if (isCut) throw new Error(`${new URL(url).host} answered over ${MAX_DOCUMENT_BYTES} bytes`)
    return JSON.parse(text) as unknown
  }
}
