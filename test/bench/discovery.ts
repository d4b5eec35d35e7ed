/**
 * Discoveries of a remote server of 100 tools, asked of its Upstream object from outside: how many
 * requests they make, and what they cost beside the official client's listing of the same server,
 * whose work is that of this process.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Upstream } from '../../src/objects/upstream.ts'
import { CALLING } from './call-contenders.ts'
import { cpuMsOf } from './cpu.ts'
import { withWorker, type Launched } from './launch.ts'
import { benchServer, putServer, rollcall } from './rollcall.ts'
import type { FigureRow, Row, Verdict } from './table.ts'
import { startUpstream } from './upstream.ts'

const TIMES = 500
const AT_A_TIME = 50
const ORGANIZATION = 'org_default'

export async function measureDiscovery(): Promise<Row[]> {
  const upstream = await startUpstream()
  const many = new URL('/many', upstream.url)
  return withWorker(await rollcall(CALLING), {}, async (worker) => {
    const discover = await discoverer(worker, 0, many)
    const before = await upstream.count()
    await discover()
    const warm = (await upstream.count()) - before
    const oursUs = await cpuUsOf(worker.pid, discover)
    const theirsUs = await cpuOfClient(many)
    const together = await discoverer(worker, 1, new URL('/slow', upstream.url))
    const alone = await upstream.count()
    await Promise.all(Array.from({ length: AT_A_TIME }, together))
    const shared = (await upstream.count()) - alone
    return [
      exact('requests, session warm', warm, 1, 'tools/list and no initialize'),
      exact(`requests, ${AT_A_TIME} at a time`, shared, 1, 'one discovery'),
      reported('CPU, ours', oursUs, 'workerd’s, Miniflare’s way into it included'),
      reported('CPU, official client', theirsUs, 'connect, tools/list, close; Node’s'),
    ]
  })
}

/** A function that discovers the tools of a remote server, which was read once. */
async function discoverer(worker: Launched, number: number, remote: URL) {
  const server = { ...benchServer([], { number }), remote: remote.href }
  await putServer(worker.url, server)
  const bindings = (await worker.bindings()) as { UPSTREAM: DurableObjectNamespace<Upstream> }
  const stub = bindings.UPSTREAM.getByName(`remote-${server.id}`)
  return async () => {
    const owner = { organization: ORGANIZATION, server: server.id }
    const found = await stub.discover(owner, 'production')
    if ('problem' in found) throw new Error(found.problem)
  }
}

async function cpuUsOf(pid: number, work: () => Promise<void>): Promise<number> {
  for (let n = 0; n < TIMES / 10; n++) await work()
  const before = cpuMsOf(pid)
  for (let n = 0; n < TIMES; n++) await work()
  return (1000 * (cpuMsOf(pid) - before)) / TIMES
}

function cpuOfClient(remote: URL): Promise<number> {
  return cpuUsOf(process.pid, async () => {
    const client = new Client({ name: 'bench', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(remote))
    await client.listTools()
    await client.close()
  })
}

function exact(name: string, value: number, bar: number, how: string): FigureRow {
  const verdict: Verdict = value === bar ? 'pass' : 'fail'
  return { ...figure(name, String(value), how), bar: String(bar), verdict }
}

function reported(name: string, us: number, how: string): FigureRow {
  return figure(name, `${us.toFixed(0)} µs`, how)
}

function figure(name: string, value: string, how: string): FigureRow {
  const scenario = 'discovery of 100 tools'
  return { kind: 'figure', scenario, figure: name, value, bar: '', verdict: 'reported', how }
}
