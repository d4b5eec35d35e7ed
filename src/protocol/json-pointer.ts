/** JSON pointers (RFC 6901), read and written token by token. */

/** The names that a pointer goes through, from the outermost; none of `''`, the whole value. */
export function tokensOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A name as a token of a pointer. */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
