/** The tables of an Upstream, by the steps that they came in. */
import { CONNECTIONS_BY_ACCOUNT, CONNECTIONS_BY_CONFIG, CONNECTIONS_SCHEMA } from './connections.ts'
import { READINGS_SCHEMA } from './readings.ts'
import { LEASES_SCHEMA } from './watch.ts'

/** Migrations of the database, oldest first. */
export const STEPS = [
  CONNECTIONS_SCHEMA,
  LEASES_SCHEMA,
  READINGS_SCHEMA,
  CONNECTIONS_BY_ACCOUNT,
  CONNECTIONS_BY_CONFIG,
]
