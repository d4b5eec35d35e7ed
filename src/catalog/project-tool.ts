/**
 * A tool as each revision family may see it (`mcp-protocol.md` §5.1): known members that came later
 * are left out, `execution` is gone from 2026-07-28, an `outputSchema` that is no object stays away
 * from the revisions that cannot have one. Unknown members pass.
 */
import { isObject } from '../protocol/json-rpc.ts'
import { FAMILIES, type Family } from '../protocol/revisions.ts'

const TITLED: readonly string[] = ['title', 'outputSchema', '_meta']
const ILLUSTRATED: readonly string[] = ['icons', 'execution']

const LEFT_OUT: Readonly<Record<Family, readonly string[]>> = {
  '2025-03-26': [...TITLED, ...ILLUSTRATED],
  '2025-06-18': ILLUSTRATED,
  '2025-11-25': [],
  '2026-07-28': ['execution'],
}

const OBJECT_OUTPUT: ReadonlySet<Family> = new Set(['2025-06-18', '2025-11-25'])

/** The tool as `family` lists it; the same object when nothing differs. */
export function projectTool(
  tool: Readonly<Record<string, unknown>>,
  family: Family,
): Readonly<Record<string, unknown>> {
  const hidden = hiddenMembers(tool, family)
  if (hidden.length === 0) return tool
  return Object.fromEntries(Object.entries(tool).filter(([key]) => !hidden.includes(key)))
}

/** One bit a family, set where the family lists the tool otherwise than it is stored. */
export function differingFamilies(tool: Readonly<Record<string, unknown>>): number {
  return FAMILIES.reduce(
    (bits, family, index) => (hiddenMembers(tool, family).length > 0 ? bits | (1 << index) : bits),
    0,
  )
}

/** Whether a tool with these `differingFamilies` is listed to `family` otherwise than stored. */
export function differsIn(bits: number, family: Family): boolean {
  return (bits & (1 << FAMILIES.indexOf(family))) !== 0
}

function hiddenMembers(tool: Readonly<Record<string, unknown>>, family: Family): string[] {
  const hidden = LEFT_OUT[family].filter((member) => Object.hasOwn(tool, member))
  const output = tool['outputSchema']
  if (output !== undefined && OBJECT_OUTPUT.has(family)) {
    if (!isObject(output) || output['type'] !== 'object') hidden.push('outputSchema')
  }
  return hidden
}
