/** The values of a variable by the names of environments (`surfaces.md` B17). */
import * as z from 'zod'
import { DEFAULT_ENVIRONMENT } from '../handlers/variable.ts'
import { EnvironmentName } from './names.ts'

export const MAX_ENVIRONMENTS = 100 // of a variable

/** What a new variable has: values of one form, one of them for the default environment. */
export function valuesOf<T extends z.ZodType>(value: T) {
  return bounded(z.record(EnvironmentName, value)).refine(
    (values) => Object.hasOwn(values, DEFAULT_ENVIRONMENT),
    { path: [DEFAULT_ENVIRONMENT], message: 'is missing', when: isRead },
  )
}

/** What a variable becomes, environment by environment: a value, or null for none. */
export function valuesPatchOf<T extends z.ZodType>(value: T) {
  return bounded(z.record(EnvironmentName, value.nullable()))
}

function bounded<T extends z.ZodRecord>(values: T) {
  return values.refine((all) => Object.keys(all).length <= MAX_ENVIRONMENTS, {
    message: `may have ${MAX_ENVIRONMENTS} environments`,
    when: isRead,
  })
}

/** Whether there are values, be some of them wrong: whatever is wrong is told at once. */
function isRead({ value }: { value: unknown }): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
