/** How deep JSON may nest: what validates and projects it walks by recursion. */

export const MAX_DEPTH = 64

/** Whether arrays and objects, empty ones too, nest deeper than `limit`; walks without recursion. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level = containersIn([[value]])
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === limit) return true
    level = containersIn(level)
  }
  return false
}

function containersIn(level: readonly object[]): object[] {
  const inner: object[] = []
  for (const node of level) {
    const values: readonly unknown[] = Array.isArray(node) ? node : Object.values(node)
    for (const value of values) {
      if (typeof value === 'object' && value !== null) inner.push(value)
    }
  }
  return inner
}
