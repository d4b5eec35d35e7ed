/**
 * A server of both eras on the official SDK v2 that offers what every scenario of the official
 * conformance suite asks for: the data of test/conformance/everything.json (conformance-offer.ts), and
 * what data cannot be: sampling, elicitation with defaults and enums, `input_required` in all its forms,
 * polling by `test_reconnection`, lists that change (conformance-asking.ts).
 *
 * `startConformanceServer()` gives what `startModernMcp` gives, served as `dual-sessions`.
 */
import { ACTIVE_TOOLS } from './conformance-asking.ts'
import { CONFORMANCE_METHODS, DATA_TOOLS } from './conformance-offer.ts'
import { startModernServing, type ModernMcp } from './mcp-modern.ts'
import { createWorld } from './mcp-world.ts'

const RETRY_MS = 100

/** Starts it. */
export function startConformanceServer(): Promise<ModernMcp> {
  const world = createWorld([...DATA_TOOLS, ...ACTIVE_TOOLS], {})
  return startModernServing(
    { world, methods: CONFORMANCE_METHODS },
    { kind: 'dual-sessions', retryMs: RETRY_MS },
  )
}
