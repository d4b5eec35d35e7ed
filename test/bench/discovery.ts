/**
 * Discoveries of a remote server of 100 tools by convai's E1: how many requests they make, and what they
 * cost beside the official client's listing of the same server, whose work is that of this process.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createAdminClient } from '../../src/cli/admin-client.ts'
import { CALLING } from './call-contenders.ts'
import { cpuMsOf } from './cpu.ts'
import { withWorker, type Launched } from './launch.ts'
import { benchServer, createMemberKey, OPERATOR_TOKEN, putServer, rollcall } from './rollcall.ts'
import type { FigureRow, Row, Verdict } from './table.ts'
import { startUpstream } from './upstream.ts'

const TIMES = 500
const AT_A_TIME = 50

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
      reported('CPU, ours', oursUs, 'E1 whole; workerd’s'),
      reported('CPU, official client', theirsUs, 'connect, tools/list, close; Node’s'),
    ]
  })
}

/** A function that discovers the tools of a remote server, which was read once. */
async function discoverer(worker: Launched, number: number, remote: URL) {
  const server = { ...benchServer([], { number }), remote: remote.href }
  await putServer(worker.url, server)
  const admin = createAdminClient(worker.url.origin, OPERATOR_TOKEN)
  const { configuration } = (await admin.get(`/servers/${server.id}`)).body as {
    configuration: string
  }
  const url = new URL(`/v1/convai/mcp-servers/${configuration}/tools`, worker.url)
  const headers = { 'xi-api-key': await createMemberKey(worker.url) }
  return async () => {
    const text = await (await fetch(url, { headers })).text()
    if (!text.startsWith('{"success":true')) throw new Error(text)
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
