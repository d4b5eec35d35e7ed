/** Numbers of JSON that no JavaScript number holds: `1e999` is read as infinity, and written as null. */

/** Whether a number in a value, which nests as deep as JSON may, is none that JSON can write again. */
export function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasInfinity)
}
