/** How many requests a call makes of an MCP server that is known: one, whatever its era. */
import { startCallTarget } from './call-contenders.ts'
import { CONNECTIONS } from './compare.ts'
import { openCrowd } from './load.ts'
import type { Row } from './table.ts'
import { startUpstream } from './upstream.ts'

const CALLS = 500

export async function measureUpstreamRequests(): Promise<Row[]> {
  const rows: Row[] = []
  for (const via of ['http', 'modern', 'legacy'] as const) {
    const requests = await countRequests(via)
    rows.push({
      kind: 'figure',
      scenario: `upstream requests of ${CALLS} calls`,
      figure: via === 'http' ? 'HTTP tool' : `${via} MCP server`,
      value: String(requests),
      bar: String(CALLS),
      verdict: requests === CALLS ? 'pass' : 'fail',
      how: 'counted by the upstream, after one call',
    })
  }
  return rows
}

async function countRequests(via: 'http' | 'modern' | 'legacy'): Promise<number> {
  const upstream = await startUpstream()
  const { launched, target } = await startCallTarget({ via })
  try {
    const before = await upstream.count()
    const crowd = await openCrowd(target, CONNECTIONS)
    await crowd.send(CALLS)
    crowd.close()
    return (await upstream.count()) - before
  } finally {
    await launched.close()
  }
}
