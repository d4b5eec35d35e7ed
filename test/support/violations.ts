import { findViolations } from '../../src/upstream/arguments.ts'

let count = 0

/** Violations of arguments against the members of an object's schema. */
export const violations = (members: object, args: object = {}) =>
  findViolations(`schema ${count++}`, { type: 'object', ...members }, { ...args })

/** Violations of one argument `a` against its schema. */
export const ofA = (schema: object, a: unknown) => violations({ properties: { a: schema } }, { a })
