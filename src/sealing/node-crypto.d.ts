/** The little of Node's crypto that the runtime brings and its types do not. */
declare module 'node:crypto' {
  export function createHash(algorithm: 'sha256'): {
    update(data: string | Uint8Array): { digest(encoding: 'hex'): string }
  }
}
