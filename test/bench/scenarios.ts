/** What the bench measures, with the bar of each; a scenario without one is reported only. */
import { measureBundle } from './bundle.ts'
import { startCallContenders } from './call-contenders.ts'
import { measureCold } from './cold.ts'
import { CONNECTIONS } from './compare.ts'
import { startContenders } from './contenders.ts'
import { startGatewayContenders } from './gateway-contenders.ts'
import { measureHanging } from './hanging.ts'
import { compareLists } from './lists.ts'
import { measureMemory } from './memory.ts'
import { startSessionContenders } from './session-contenders.ts'
import { measureStart } from './start.ts'
import { measureStorage } from './storage.ts'
import { measureStreams } from './streams.ts'
import { startStrictContenders } from './strict-contenders.ts'
import type { Row } from './table.ts'
import { measureDiscovery } from './discovery.ts'
import { measureUpstreamRequests } from './upstream-requests.ts'

/** What is compared with the floor. */
export type Compared = {
  name: string
  /** The most CPU, as a multiple of the floor's. */
  bar?: number
  /** Whether Rollcall must take less CPU than mcp-lite. */
  belowPeer?: boolean
  /** Requests of one slice: enough for about 0.3 s of CPU. */
  requests: number
}

export type ListScenario = Compared & {
  tools: number
  /** The caller's key shows every other tool; warm, so the answer has been joined before. */
  halfHidden?: boolean
  /** The era of the request; one of the session era without a session where absent. */
  era?: 'modern'
  /** Whether mcp-lite takes part. */
  peer?: boolean
}

export type SessionScenario = Compared & {
  tools: number
  /** How many sessions the connections take in turn, or that each request opens one of its own. */
  sessions: number | 'new'
}

export type GatewayScenario = Compared & {
  /** Whose list it is; that of the second is compared with that of the first. */
  caller: 'first' | 'second'
}

/** What is called, and how. */
export type CallForm = {
  /** What serves the tool: a fixed text, an HTTP API, or an MCP server of an era. */
  via: 'static' | 'http' | 'modern' | 'legacy'
  /** The upstream is asked with a secret, so the server has a key. */
  secret?: boolean
  /** The era of the caller; the session era, without a session, where absent. */
  era?: 'modern'
  /** Each connection has a session, and is answered by a stream; the floor has none. */
  session?: boolean
}

export type CallScenario = Compared & CallForm

export type Scenario = { name: string; run: () => Promise<Row[]> }

const LISTS: readonly ListScenario[] = [
  { name: '2 tools', tools: 2, peer: true, bar: 1.25, requests: 2500 },
  { name: '50 tools', tools: 50, peer: true, bar: 1.2, belowPeer: true, requests: 2500 },
  { name: '1000 tools', tools: 1000, peer: true, bar: 1.1, belowPeer: true, requests: 600 },
  { name: '10000 tools', tools: 10_000, bar: 1.3, requests: 80 },
  { name: '50 tools, half hidden by a key', tools: 50, halfHidden: true, bar: 1.4, requests: 2500 },
  { name: '50 tools, 2026-07-28', tools: 50, era: 'modern', requests: 2500 },
]

/** Against a deployment that seals nothing: what sealing costs where a list is remembered. */
const STRICT: readonly ListScenario[] = [
  // Slices of 0.8 s: CPU counts in ticks of 10 ms, and the bar is close.
  { name: '50 tools, strict against plain', tools: 50, bar: 1.05, requests: 7500 },
]

const SESSIONS: readonly SessionScenario[] = [
  {
    name: '50 tools, in a session each',
    tools: 50,
    sessions: CONNECTIONS,
    bar: 1.25,
    requests: 2500,
  },
  { name: '50 tools, all in one session', tools: 50, sessions: 1, bar: 1.25, requests: 2500 },
  { name: '50 tools, in a new session', tools: 50, sessions: 'new', requests: 2500 },
]

const GATEWAY: readonly GatewayScenario[] = [
  { name: 'gateway, 200 of 1000 tools', caller: 'first', bar: 1.6, requests: 1500 },
  {
    name: 'gateway, a second caller against the first',
    caller: 'second',
    bar: 1.2,
    requests: 1500,
  },
]

const CALLS: readonly CallScenario[] = [
  // Slices of 0.8 s, as the bars are close.
  { name: 'call, HTTP tool', via: 'http', bar: 1.5, requests: 3000 },
  { name: 'call, HTTP tool, 2026-07-28', via: 'http', era: 'modern', bar: 1.5, requests: 3000 },
  { name: 'call, HTTP tool with a secret', via: 'http', secret: true, bar: 1.5, requests: 3000 },
  { name: 'call, HTTP tool, in a session', via: 'http', session: true, requests: 800 },
  { name: 'call, modern MCP server', via: 'modern', requests: 1500 },
  { name: 'call, legacy MCP server', via: 'legacy', requests: 1500 },
  { name: 'call, static tool', via: 'static', requests: 2500 },
]

export const SCENARIOS: readonly Scenario[] = [
  ...LISTS.map((list) => ({ name: list.name, run: () => compareLists(list, startContenders) })),
  ...STRICT.map((list) => ({
    name: list.name,
    run: () => compareLists(list, startStrictContenders),
  })),
  ...SESSIONS.map((list) => ({
    name: list.name,
    run: () => compareLists(list, startSessionContenders),
  })),
  ...GATEWAY.map((list) => ({
    name: list.name,
    run: () => compareLists(list, startGatewayContenders),
  })),
  ...CALLS.map((call) => ({ name: call.name, run: () => compareLists(call, startCallContenders) })),
  { name: 'call, half of 200 hang', run: measureHanging },
  { name: 'call, upstream requests', run: measureUpstreamRequests },
  { name: 'discovery of 100 tools', run: measureDiscovery },
  { name: 'session, its storage', run: measureStorage },
  { name: '1000 idle streams', run: measureStreams },
  { name: 'memory, ten servers of 10000 tools', run: measureMemory },
  { name: 'cold, first list of 1000 tools', run: measureCold },
  { name: 'start', run: measureStart },
  { name: 'bundle', run: measureBundle },
]
