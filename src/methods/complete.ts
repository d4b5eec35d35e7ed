/** `completion/complete`: values that an operator gave for a prompt's argument or a template's variable. */
import { Completions } from '../catalog/prompt.ts'
import type { Kind } from '../catalog/item.ts'
import { INVALID_PARAMS, isObject, RpcError } from '../protocol/json-rpc.ts'
import { complete, type Exchange, type Result } from './exchange.ts'

const MAX_VALUES = 100 // what one answer may hold

/** The values that begin as what was typed, in whatever case; −32602 for an unknown reference. */
export function completionComplete(exchange: Exchange): Result {
  const { catalog, params } = exchange
  const { ref, argument } = params
  if (!isObject(ref) || !isObject(argument)) throw bad('ref and argument must be objects')
  const { name, value } = argument
  if (typeof name !== 'string' || typeof value !== 'string') {
    throw bad('argument needs a name and a value')
  }
  const { kind, key } = requireReference(ref)
  const item = catalog.find(kind, key)
  if (item === undefined) throw bad('ref is of nothing here')
  const binding = catalog.binding(item)
  const completions = Completions.parse((isObject(binding) && binding['completions']) || {})
  const typed = value.toLowerCase()
  const all = Object.hasOwn(completions, name) ? (completions[name] ?? []) : []
  const fitting = all.filter((each) => each.toLowerCase().startsWith(typed))
  const values = fitting.slice(0, MAX_VALUES)
  const completion = { values, total: fitting.length, hasMore: fitting.length > values.length }
  return { completion, ...complete(exchange) }
}

function requireReference({ type, name, uri }: Readonly<Record<string, unknown>>): {
  kind: Kind
  key: string
} {
  if (type === 'ref/prompt' && typeof name === 'string') return { kind: 'prompts', key: name }
  if (type === 'ref/resource' && typeof uri === 'string')
    return { kind: 'resourceTemplates', key: uri }
  throw bad('ref must be of a prompt by name or of a resource template by uri')
}

function bad(problem: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Invalid params: ${problem}`)
}
