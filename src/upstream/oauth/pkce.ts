/** Proof Key for Code Exchange, S256 alone (RFC 7636; `mcp-protocol.md` §7.5). */
import { encodeBase64, encodeUtf8 } from '../../protocol/bytes.ts'

/** The challenge of a verifier. */
export async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encodeUtf8(verifier))
  const base64 = encodeBase64(new Uint8Array(digest))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
