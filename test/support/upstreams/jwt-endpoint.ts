/**
 * A token endpoint of RFC 7523 on loopback, which checks the signature and the claims of assertions,
 * and the keys whose owner it knows.
 */
import { exportPKCS8, generateKeyPair, jwtVerify, type CryptoKey } from 'jose'
import { sendJson, startRecording, type Recording } from './recording.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

export type JwtEndpoint = Recording & {
  /** The private key, as PKCS #8 in PEM. */
  key: string
  publicKey: CryptoKey
  /** The tokens that were given, each once. */
  given: string[]
}

/** Starts one; its tokens stand in `field` of the answer. */
export async function startJwtEndpoint(field = 'access_token'): Promise<JwtEndpoint> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const given: string[] = []
  const recording = await startRecording(async (seen, response) => {
    const form = new URLSearchParams(seen.text)
    const refuse = (error: string) => sendJson(response, { error }, 400)
    if (form.get('grant_type') !== GRANT) return refuse('unsupported_grant_type')
    try {
      const { payload } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
        audience: recording.url,
        requiredClaims: ['iss', 'sub', 'iat', 'exp', 'jti'],
      })
      given.push(`token-${given.length + 1}-${String(payload.sub)}`)
    } catch {
      return refuse('invalid_grant')
    }
    const said = field === 'access_token' ? { token_type: 'Bearer', expires_in: 3600 } : {}
    return sendJson(response, { [field]: given.at(-1), ...said })
  })
  return { ...recording, key: await exportPKCS8(privateKey), publicKey, given }
}
