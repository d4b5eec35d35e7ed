/**
 * `GET /residency`: for each kind of data where this deployment keeps it, how far that is promised,
 * and what the promise rests on (`design.md` §5). Told from the settings; what a Worker cannot see of
 * its account is named as such.
 */
import * as z from 'zod'
import type { Settings } from '../env.ts'

type Place = Pick<
  Settings,
  'REGION' | 'JURISDICTION' | 'LOCATION_HINT' | 'RESIDENCY' | 'DEVELOPMENT'
>

/**
 * How far a promise goes. `guaranteed`: the platform keeps it. `if set`: it does where the account is
 * set as `restsOn` says, which a Worker cannot see. `sealed`: it may be anywhere, and is unreadable
 * there. `best effort`: asked for, not promised. `none`: nothing holds it.
 */
const Guarantee = z.enum(['guaranteed', 'if set', 'sealed', 'best effort', 'none'])

export const Residency = z.object({
  region: z.string(),
  jurisdiction: z.string(),
  locationHint: z.string(),
  residency: z.string(),
  development: z.boolean(),
  data: z.array(
    z.object({ kind: z.string(), stored: z.string(), guarantee: Guarantee, restsOn: z.string() }),
  ),
})
export type Residency = z.infer<typeof Residency>

type Promised = Omit<Residency['data'][number], 'kind'>

/** What objects store, and in which form where that matters. */
const IN_OBJECTS: readonly (readonly [kind: string, form: string])[] = [
  ['sessions', ''],
  ['catalog', ''],
  ['credentials', 'as hashes, '],
  ['members', ''],
  ['accounts', 'with sealed credentials, '],
  ['secrets', 'sealed, '],
  ['approvals', ''],
  ['audit', ''],
  ['calls', 'without arguments and results, '],
]

const LANDS: Readonly<Record<Settings['REGION'], string>> = {
  development: 'no region',
  global: 'no region',
  us: 'the US',
  eu: 'the EU',
  in: 'India',
  sg: 'Singapore',
}

const NOWHERE: Promised = {
  stored: 'on the machine it runs on',
  guarantee: 'none',
  restsOn: 'development, no guarantee',
}

/** What a deployment of these settings promises. */
export function describeResidency(place: Place): Residency {
  const objects = ofObjects(place)
  const inObjects = IN_OBJECTS.map(([kind, form]) => ({
    kind,
    ...objects,
    stored: form + objects.stored,
  }))
  const others = [
    { kind: 'names', ...ofNames(place) },
    { kind: 'KV copies', ...ofCopies(place) },
    { kind: 'logs', ...ofLogs(place) },
    { kind: 'processing', ...ofProcessing(place) },
  ]
  return {
    region: place.REGION,
    jurisdiction: place.JURISDICTION,
    locationHint: place.LOCATION_HINT,
    residency: place.RESIDENCY,
    development: place.DEVELOPMENT,
    data: [...inObjects, ...others],
  }
}

/** Answers with what this deployment promises. */
export function residency(place: Place): Response {
  return Response.json(describeResidency(place))
}

function ofObjects({ REGION, JURISDICTION, LOCATION_HINT, DEVELOPMENT }: Place): Promised {
  if (DEVELOPMENT) return NOWHERE
  if (JURISDICTION !== '') {
    return {
      stored: `in ${LANDS[JURISDICTION]}`,
      guarantee: 'guaranteed',
      restsOn: `Durable Objects of jurisdiction ${JURISDICTION}`,
    }
  }
  const lacks = isLand(REGION) ? `; the platform has no jurisdiction for ${LANDS[REGION]}` : ''
  if (LOCATION_HINT === '') {
    return {
      stored: 'near where it was first asked for',
      guarantee: 'none',
      restsOn: `no jurisdiction and no location hint${lacks}`,
    }
  }
  return {
    stored: `near the location hint ${LOCATION_HINT}, if the platform follows it`,
    guarantee: 'best effort',
    restsOn: `location hint ${LOCATION_HINT}${lacks}`,
  }
}

function ofNames({ DEVELOPMENT, RESIDENCY }: Place): Promised {
  if (DEVELOPMENT) return NOWHERE
  const stored = 'visible to the platform anywhere: names and ids of objects, keys in KV'
  return RESIDENCY === 'strict'
    ? { stored, guarantee: 'sealed', restsOn: 'RESIDENCY strict: HMACs under NAME_KEY' }
    : { stored, guarantee: 'none', restsOn: 'they are ids, slugs and hashes' }
}

function ofCopies({ JURISDICTION, DEVELOPMENT, RESIDENCY }: Place): Promised {
  if (DEVELOPMENT) return NOWHERE
  const durable =
    JURISDICTION === ''
      ? 'durable copy where the platform puts it'
      : `durable copy in ${LANDS[JURISDICTION]} if its namespace was made so`
  const stored = `${durable}, cached copies worldwide: catalogs, hashes of keys, who sees which account by ids`
  return RESIDENCY === 'strict'
    ? { stored, guarantee: 'sealed', restsOn: 'RESIDENCY strict: sealed under SEAL_KEYS' }
    : { stored, guarantee: 'none', restsOn: 'KV caches worldwide, and nothing is sealed' }
}

function ofLogs({ REGION, JURISDICTION, DEVELOPMENT }: Place): Promised {
  if (DEVELOPMENT) return NOWHERE
  if (JURISDICTION !== '') {
    return {
      stored: `in ${LANDS[JURISDICTION]}`,
      guarantee: 'if set',
      restsOn: `the account's Customer Metadata Boundary, set to ${JURISDICTION}`,
    }
  }
  return {
    stored: 'in the US or the EU',
    guarantee: 'none',
    restsOn: isLand(REGION)
      ? `the platform stores no logs in ${LANDS[REGION]}`
      : "the account's own settings",
  }
}

function ofProcessing({ REGION, JURISDICTION, DEVELOPMENT }: Place): Promised {
  if (DEVELOPMENT) return { ...NOWHERE, stored: 'on the machine it runs on, nothing is kept' }
  if (!isLand(REGION)) {
    return { stored: 'where the caller is', guarantee: 'none', restsOn: 'no regional hostname' }
  }
  const objects = JURISDICTION === '' ? '; objects run where they are stored' : ''
  return {
    stored: `requests run in ${LANDS[REGION]}${objects}`,
    guarantee: 'if set',
    restsOn: `a regional hostname for ${LANDS[REGION]}, set in the dashboard`,
  }
}

function isLand(region: Settings['REGION']): boolean {
  return region !== 'development' && region !== 'global'
}
