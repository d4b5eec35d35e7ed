/** An organization whose calls are held for a person, before an API that counts and can be made to wait. */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startAcme, type Acme, type Person } from './acme.ts'
import { createServer as createRollcallServer, inOrganization } from './admin.ts'
import { eventually } from './eventually.ts'
import { callTool, namesOf } from './gateway-client.ts'
import { startRollcall, type Answer, type Rollcall } from './rollcall.ts'
import { serverFile, tool } from './servers.ts'
import { inDatabase } from './storage.ts'
import { talking } from './talking.ts'

export const WAIT = 'manage__approval_wait'

/** The API that pays: each request that came, and a way to keep it waiting. */
export async function startPayments() {
  const paid: string[] = []
  let gate: Promise<void> | undefined
  let arrived = Promise.withResolvers<void>()
  const answer = async ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    paid.push(url)
    arrived.resolve()
    await gate
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ paid: url }))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** The paths that were asked for. */
    paid,
    /** Keeps each request waiting until the gate is opened; `arrived` is when one has come. */
    shut() {
      const opened = Promise.withResolvers<void>()
      gate = opened.promise
      arrived = Promise.withResolvers<void>()
      return { arrived: arrived.promise, open: () => opened.resolve() }
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type Payments = Awaited<ReturnType<typeof startPayments>>

export type HeldWorld = {
  rollcall: Rollcall
  acme: Acme
  payments: Payments
  agent: Person
  member: Person
  boss: Person
  /** The id of the server `bank`. */
  bank: string
  /** A session of a person, who is then no key. */
  sessionOf(person: Pick<Person, 'id'>): Promise<string>
  /** Asks the admin API by a token. */
  by(token: string, method: string, path: string, body?: object): Promise<Answer>
  close(): Promise<void>
}

/** Starts an organization whose every call of `bank__pay` asks; `bank__look` just runs. */
export async function startHeldWorld(vars: Record<string, string> = {}): Promise<HeldWorld> {
  const payments = await startPayments()
  const rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1', ...vars } })
  const acme = await startAcme(rollcall, payments.url)
  const pays = (name: string) =>
    tool(name, {
      inputSchema: {
        type: 'object',
        properties: {
          amount: { type: 'number', default: 5 },
          to: { type: 'string' },
        },
        required: ['to'],
      },
      handler: { kind: 'http', method: 'GET', url: `${payments.url}/${name}/{to}/{amount}` },
    })
  const told = (progress: number) => ({ progress: { progress, total: 2 } })
  const talks = talking('audit', told(1), told(2))
  const file = serverFile('Bank', [pays('pay'), pays('look'), talks], {
    slug: 'bank',
    gateway: 'bank',
  })
  const { id: bank } = await createRollcallServer(rollcall, file, inOrganization('acme'))
  await acme.admin('PATCH', '/settings', {
    features: { approvals: true },
    approvals: { rules: [{ match: { tool: 'pay' }, effect: 'ask' }], default: 'run' },
  })
  const agent = await acme.person('agent')
  const member = await acme.person('member')
  const boss = await acme.person('member', { role: 'admin' })
  await eventually(
    () => namesOf(rollcall, agent.key),
    (names) => names.includes(WAIT) && names.includes('bank__pay'),
  )
  return {
    rollcall,
    acme,
    payments,
    agent,
    member,
    boss,
    bank,
    sessionOf: async ({ id }) =>
      (await acme.admin('POST', `/members/${id}/session`)).token as string,
    by: (token, method, path, body) =>
      rollcall.send(`/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    async close() {
      await rollcall.close()
      await payments.close()
    },
  }
}

/** Makes a call that is held, and gives its id. */
export async function hold(
  { rollcall }: Pick<HeldWorld, 'rollcall'>,
  key: string,
  args: object = { to: 'ann', amount: 7 },
  name = 'bank__pay',
): Promise<string> {
  const { result } = await callTool(rollcall, key, name, args)
  assert.equal(result?.isError, true, JSON.stringify(result))
  const { error, approval_id: id } = result.structuredContent
  assert.equal(error.code, 'approval_pending')
  assert.match(id, /^apr_[0-9a-f]{20}$/)
  assert.match(result.content[0].text, /has not run/)
  assert.ok(result.content[0].text.includes(`${WAIT} with {"approval_id":"${id}"}`))
  return id
}

/** Waits for a held call, so many seconds, and gives the result. */
export async function wait(
  { rollcall }: Pick<HeldWorld, 'rollcall'>,
  key: string,
  id: string,
  seconds = 20,
) {
  const args = { approval_id: id, wait_seconds: seconds }
  return (await callTool(rollcall, key, WAIT, args)).result
}

/** What came of waiting: a code, `still_waiting`, or the path that was paid. */
export async function outcomeOf(
  world: Pick<HeldWorld, 'rollcall'>,
  key: string,
  id: string,
  seconds = 20,
) {
  const result = await wait(world, key, id, seconds)
  const { error, status } = result.structuredContent ?? {}
  return error?.code ?? status ?? JSON.parse(result.content[0].text).paid
}

/** Sets the clock of a held call on: as if it had waited, run or been kept for so long already. */
export async function age({ rollcall, acme }: HeldWorld, id: string, ms: number): Promise<void> {
  await inDatabase(
    rollcall,
    `UPDATE held SET due_at = due_at - ${ms}, created_at = created_at - ${ms} WHERE id = '${id}'`,
    acme.organization,
  )
}
