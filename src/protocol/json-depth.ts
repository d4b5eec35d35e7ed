/** How deep JSON may nest: what validates and projects it walks by recursion. */
import { isObject } from './json-rpc.ts'

export const MAX_DEPTH = 64

/** Whether arrays and objects nest deeper than `limit`; walks without recursion. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((node) =>
      Array.isArray(node) ? node : isObject(node) ? Object.values(node) : [],
    )
  }
  return false
}
