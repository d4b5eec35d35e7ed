/** Input schemas that hurt whoever walks, compiles or prints them. */

type Schema = Readonly<Record<string, unknown>>

const DEPTH = 20_000
const WIDTH = 50_000
const DOUBLINGS = 40

/** Objects within objects, deeper than a stack; as text, since `JSON.stringify` is no deeper. */
export function deepSchemaText(): string {
  const open = '{"type":"object","properties":{"a":'
  return `${open.repeat(DEPTH)}{"type":"string"}${'}}'.repeat(DEPTH)}`
}

/** Very many properties. */
export function largeSchema(): Schema {
  const properties = Array.from({ length: WIDTH }, (_, index) => [
    `property_${index}`,
    { type: 'string', description: 'One of very many properties' },
  ])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

/** A few definitions, each of which refers to the next one twice: 2^40 when followed. */
export function doublingRefs(): Schema {
  return { type: 'object', ...doubled('anyOf'), properties: { a: { $ref: '#/$defs/d0' } } }
}

/** The same with `allOf`, which no validator may cut short. */
export function doublingAllOf(): Schema {
  return { type: 'object', ...doubled('allOf'), properties: { a: { $ref: '#/$defs/d0' } } }
}

function doubled(combiner: string): Schema {
  const names = Array.from({ length: DOUBLINGS }, (_, index) => [
    `d${index}`,
    { [combiner]: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
  ])
  return { $defs: { ...Object.fromEntries(names), [`d${DOUBLINGS}`]: { type: 'string' } } }
}

/** A schema that is its own part without end. */
export function cyclicRefs(): Schema {
  return {
    type: 'object',
    $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
    allOf: [{ $ref: '#/$defs/a' }],
  }
}

/** A pattern that takes for ever to say no to `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!`. */
export function slowPattern(): Schema {
  return { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
}

/** A schema that stands elsewhere, which is not to be fetched. */
export function remoteRef(url: string): Schema {
  return { type: 'object', properties: { a: { $ref: `${url}/schema.json` } } }
}
