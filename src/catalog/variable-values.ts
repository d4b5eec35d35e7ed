/** The values of a variable by the names of environments (`surfaces.md` B17). */
import * as z from 'zod'
import { DEFAULT_ENVIRONMENT } from '../handlers/variable.ts'
import { EnvironmentName } from './names.ts'

export const MAX_ENVIRONMENTS = 100 // of a variable

/** What a new variable has: values of one form, one of them for the default environment. */
export function valuesOf<T extends z.ZodType>(value: T) {
  return z.record(EnvironmentName, value).superRefine((values, context) => {
    const names = Object.keys(values)
    if (names.length > MAX_ENVIRONMENTS) {
      const message = `may have ${MAX_ENVIRONMENTS} environments`
      context.addIssue({ code: 'custom', message })
    }
    if (!names.includes(DEFAULT_ENVIRONMENT)) {
      context.addIssue({ code: 'custom', path: [DEFAULT_ENVIRONMENT], message: 'is missing' })
    }
  })
}

/** What a variable becomes, environment by environment: a value, or null for none. */
export function valuesPatchOf<T extends z.ZodType>(value: T) {
  const known = z.record(EnvironmentName, value.nullable())
  return known.refine(
    (values) => Object.keys(values).length <= MAX_ENVIRONMENTS,
    `may have ${MAX_ENVIRONMENTS} environments`,
  )
}
