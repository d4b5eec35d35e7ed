/**
 * Numbers in the JSON an operator stores that JavaScript cannot hold. What would come back changed
 * is refused, since a definition is kept as it was given.
 */
import type { Detail } from '../protocol/http-error.ts'

/** A long run of digits or an exponent: the only numbers that can be lossy. */
const MAYBE_LOSSY = /\d(?:\.?\d){15}|\d[eE][+-]?\d/

/** The numbers of a JSON text that would not come back as the value they were sent as. */
export function findLossyNumbers(text: string): Detail[] {
  if (!MAYBE_LOSSY.test(text)) return []
  const found: Detail[] = []
  const check = function (
    this: unknown,
    key: string,
    value: unknown,
    context?: { source?: string },
  ) {
    const source = context?.source
    if (typeof value === 'number' && source !== undefined && isLossy(value, source)) {
      found.push({
        path: key,
        message: `holds ${source.slice(0, 60)}, a number that would be changed`,
      })
    }
    return value
  }
  JSON.parse(text, check)
  return found
}

function isLossy(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true
  return digitsOf(String(value)) !== digitsOf(source)
}

/** A decimal as its significant digits and the power of ten of the last: one form for each value. */
function digitsOf(decimal: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const power = Number(exponent) - fraction.length + (digits.length - significant.length)
  return `${sign}${significant}e${power}`
}
