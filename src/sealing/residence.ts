/**
 * Where a deployment keeps what it stores, as its settings say. The roof reads them with the others;
 * objects, which have the bindings alone and run on when no request came, read them by themselves.
 */
import * as z from 'zod'
import { NameKey } from './name-key.ts'

/** Where a deployment is: five regions of data, and the development of one machine. */
const REGIONS = ['development', 'global', 'us', 'eu', 'in', 'sg'] as const

/** The regions whose storage the platform can promise, by a jurisdiction of the same name. */
const JURISDICTIONS = ['us', 'eu'] as const satisfies readonly DurableObjectJurisdiction[]

/** Near where an object may be asked to be made. */
export const LOCATION_HINTS = [
  'wnam',
  'enam',
  'sam',
  'weur',
  'eeur',
  'apac',
  'apac-ne',
  'apac-se',
  'oc',
  'afr',
  'me',
] as const satisfies readonly DurableObjectLocationHint[]

/** One of a few words; empty, or none, is none. */
const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(['', ...words], { error: `must be empty or one of ${words.join(', ')}` }).default('')

/** A setting that is on with `1`. */
export const flag = z
  .enum(['', '0', '1'])
  .optional()
  .transform((value) => value === '1')

/** The settings that say it. */
export const RESIDENCE = {
  REGION: z.enum(REGIONS, { error: `must be one of ${REGIONS.join(', ')}` }).default('development'),
  JURISDICTION: oneOf(JURISDICTIONS),
  LOCATION_HINT: oneOf(LOCATION_HINTS),
  RESIDENCY: oneOf(['strict']),
  NAME_KEY: NameKey,
  DEVELOPMENT: flag,
}

const Unchecked = z.object(RESIDENCE)

/** Refuses a region without its jurisdiction, and names that are to be HMACs without a key. */
export function checkResidence(
  { REGION, JURISDICTION, DEVELOPMENT, RESIDENCY, NAME_KEY }: z.infer<typeof Unchecked>,
  context: z.RefinementCtx,
): void {
  const needed = JURISDICTIONS.find((jurisdiction) => jurisdiction === REGION) ?? ''
  if (JURISDICTION !== needed && !(DEVELOPMENT && JURISDICTION === '')) {
    const message =
      needed === ''
        ? `must be empty in region ${REGION}, which has no storage of that jurisdiction`
        : `must be ${needed} in region ${REGION}: without it nothing keeps what is stored there`
    context.addIssue({ code: 'custom', path: ['JURISDICTION'], message })
  }
  if (RESIDENCY === 'strict' && NAME_KEY === undefined) {
    const message = 'is missing: RESIDENCY strict names what it stores by it'
    context.addIssue({ code: 'custom', path: ['NAME_KEY'], message })
  }
}

/** Reads them from the bindings, or throws with a message that names the wrong one. */
export const Residence = Unchecked.superRefine(checkResidence)
export type Residence = z.infer<typeof Residence>
