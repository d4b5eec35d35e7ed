/**
 * The arguments of a remote tool as they are sent: an operator's constants in their places, and
 * without what the operator leaves out (`convai-api.md` §5), each by JSON pointer (RFC 6901).
 */
import type { InputOverrides } from '../catalog/overrides.ts'
import { tokensOf } from '../protocol/json-pointer.ts'
import { isObject } from '../protocol/json-rpc.ts'

type Members = Readonly<Record<string, unknown>>
type Change = { constant: unknown } | { omit: true }

const INDEX = /^(?:0|[1-9]\d{0,8})$/

/**
 * Arguments with these inputs as the operator says, whatever the caller gave. Objects are made on the
 * way to a constant; items of a list are changed where they are there.
 */
export function sentInputs(args: Members, inputs: InputOverrides): Members {
  const changes = Object.entries(inputs).map(([pointer, change]) => {
    return { path: tokensOf(pointer), pointer, change }
  })
  const constants = changes.filter(({ change }) => 'constant' in change)
  // The last items of a list first, so that the indexes of the others stay what they are.
  const omitted = changes
    .filter(({ change }) => 'omit' in change)
    .toSorted((one, other) => other.pointer.localeCompare(one.pointer, 'en', { numeric: true }))
  return [...constants, ...omitted].reduce(
    (changed, { path, change }) => inObject(changed, path, change),
    args,
  )
}

function inObject(members: Members, [name = '', ...below]: readonly string[], change: Change) {
  const { [name]: value, ...others } = members
  if (below.length > 0) {
    const isThere = Object.hasOwn(members, name)
    if ('omit' in change && !isThere) return members
    return { ...members, [name]: inValue(isThere ? value : {}, below, change) }
  }
  return 'omit' in change ? others : { ...members, [name]: change.constant }
}

/** What is neither an object nor a list with items of that name gives way to an object. */
function inValue(value: unknown, path: readonly string[], change: Change): unknown {
  if (Array.isArray(value) && INDEX.test(path[0] ?? '')) return inList(value, path, change)
  if (isObject(value)) return inObject(value, path, change)
  return 'omit' in change ? value : inObject({}, path, change)
}

function inList(
  items: readonly unknown[],
  [name = '', ...below]: readonly string[],
  change: Change,
) {
  const index = Number(name)
  if (index >= items.length) return items
  if (below.length > 0) return items.with(index, inValue(items[index], below, change))
  return 'omit' in change ? items.toSpliced(index, 1) : items.with(index, change.constant)
}
