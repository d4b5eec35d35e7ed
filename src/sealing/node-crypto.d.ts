/** The little of Node's crypto that the runtime brings and its types do not. */
declare module 'node:crypto' {
  type Digesting = { update(data: string | Uint8Array): { digest(encoding: 'hex'): string } }
  export function createHash(algorithm: 'sha256'): Digesting
  export function createHmac(algorithm: 'sha256', key: string | Uint8Array): Digesting
}
