/**
 * A tool of a remote server as convai lists it (`convai-api.md` §2, §9): the members MCP gives a tool and
 * no others, absent where they were absent. The official client refuses a whole list for one member of a
 * wrong type, so what has one is left out of it.
 */
import { isObject } from '../../protocol/json-rpc.ts'

type Members = Readonly<Record<string, unknown>>

export type ListedTool = Members & {
  name: string
  description?: string
  inputSchema: Members
}

type Repair = (value: unknown) => unknown

const text: Repair = (value) => (typeof value === 'string' ? value : undefined)
const flag: Repair = (value) => (typeof value === 'boolean' ? value : undefined)
const object: Repair = (value) => (isObject(value) ? value : undefined)
const texts: Repair = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
const oneOf =
  (...words: readonly unknown[]): Repair =>
  (value) =>
    words.includes(value) ? value : undefined

/** An object whose members of these names are as they have to be; it keeps its others. */
const objectOf =
  (repairs: ReadonlyMap<string, Repair>): Repair =>
  (value) => {
    if (!isObject(value)) return undefined
    const members = Object.entries(value).map(([name, member]) => {
      const repair = repairs.get(name)
      return [name, repair === undefined ? member : repair(member)] as const
    })
    return Object.fromEntries(members.filter(([, member]) => member !== undefined))
  }

const icon = objectOf(
  new Map([
    ['mimeType', text],
    ['sizes', texts],
    ['theme', oneOf('light', 'dark')],
  ]),
)
const icons: Repair = (value) =>
  Array.isArray(value)
    ? value.filter((item) => isObject(item) && typeof item['src'] === 'string').map(icon)
    : undefined

const OPTIONAL: ReadonlyMap<string, Repair> = new Map([
  ['title', text],
  ['description', text],
  ['outputSchema', object],
  [
    'annotations',
    objectOf(
      new Map([
        ['title', text],
        ['readOnlyHint', flag],
        ['destructiveHint', flag],
        ['idempotentHint', flag],
        ['openWorldHint', flag],
      ]),
    ),
  ],
  ['icons', icons],
  ['execution', objectOf(new Map([['taskSupport', oneOf('forbidden', 'optional', 'required')]]))],
  ['_meta', object],
])

/** The tool that an item of a list is; undefined for one that can be none. */
export function listedTool(item: unknown): ListedTool | undefined {
  if (!isObject(item)) return undefined
  const { name, inputSchema } = item
  if (typeof name !== 'string' || name === '' || !isObject(inputSchema)) return undefined
  const tool: Record<string, unknown> & ListedTool = { name, inputSchema }
  for (const [member, repair] of OPTIONAL) {
    const value = repair(item[member])
    if (value !== undefined) tool[member] = value
  }
  return tool
}
