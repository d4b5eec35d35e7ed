/**
 * The input schema of a remote tool as callers see it: without the arguments that an operator has
 * sent as he says. An argument is found where its schema stands under `properties`, step by step.
 */
import { tokensOf } from '../protocol/json-pointer.ts'
import { isObject } from '../protocol/json-rpc.ts'
import type { InputOverrides } from './overrides.ts'

type Schema = Readonly<Record<string, unknown>>

/** A schema without these inputs, by JSON pointer into the arguments, required or not. */
export function withoutInputs<T extends Schema>(schema: T, inputs: InputOverrides): T {
  return Object.keys(inputs).map(tokensOf).reduce(without, schema)
}

function without<T extends Schema>(schema: T, [name = '', ...rest]: readonly string[]): T {
  const { properties, required } = schema
  if (rest.length > 0) {
    const inner = isObject(properties) ? memberOf(properties, name) : undefined
    if (!isObject(inner)) return schema
    return { ...schema, properties: withMember(properties, name, without(inner, rest)) }
  }
  return {
    ...schema,
    ...(isObject(properties) && { properties: withMember(properties, name, undefined) }),
    ...(Array.isArray(required) && { required: required.filter((each) => each !== name) }),
  }
}

function memberOf(members: Schema, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** Members with another value for one, in their order; or without it. */
function withMember(members: unknown, name: string, value: unknown): Schema {
  const entries = Object.entries(isObject(members) ? members : {})
  return Object.fromEntries(
    entries.flatMap(([key, old]) =>
      key !== name ? [[key, old]] : value === undefined ? [] : [[key, value]],
    ),
  )
}
