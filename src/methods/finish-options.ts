/** What a prepared request runs with where it is answered at once, outside of a session. */
import type { Talk } from '../upstream/run-steps.ts'
import type { Exchange } from './exchange.ts'
import type { FinishOptions } from './finish.ts'

/** Where nothing may precede the answer. */
const SILENT: Talk = {
  progressToken: undefined,
  logLevel: undefined,
  signal: undefined,
  notify: () => {},
}

type Told = Pick<
  Exchange,
  'revision' | 'world' | 'note' | 'waitUntil' | 'clientCapabilities' | 'talk'
>

/** The options of an exchange: its client can be asked in a result alone (`mcp-protocol.md` §4.8). */
export function optionsOf(exchange: Told): FinishOptions {
  const { revision, world, note, waitUntil, clientCapabilities, talk = SILENT } = exchange
  return { revision, world, note, waitUntil, declared: clientCapabilities ?? {}, ...talk }
}
