/**
 * Two organizations of random things, many of them of the same name: over every surface nothing of one is
 * seen, named or counted by the other, and whoever names what is another's is answered as for what is not.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as fc from 'fast-check'
import { askGateway } from '../support/acme.ts'
import { legacy, LIST } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { tool } from '../support/servers.ts'
import { drawnTenant, makeTenant, type Tenant } from '../support/tenants.ts'

const RUNS = 2
const SEED = 5

/** Ids of the right form that nothing has, by the first segment of a path. */
const NOBODY: Readonly<Record<string, string>> = {
  servers: '0123456789abcdef',
  members: `mem_${'0'.repeat(20)}`,
  agents: `agt_${'0'.repeat(20)}`,
  keys: `key_${'0'.repeat(20)}`,
  accounts: `acc_${'0'.repeat(20)}`,
  grants: `gra_${'0'.repeat(20)}`,
  variables: `envvar_${'0'.repeat(20)}`,
  connections: `ac_${'0'.repeat(20)}`,
}

/** A good body for each route that names something by its id. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /members/:id/session': {},
  'PATCH /servers/:id': { description: 'Taken over' },
  'POST /servers/:id/rollback': { revision: 1 },
  'POST /servers/:id/tools': tool('planted'),
  'POST /servers/:id/tools/reorder': { names: [] },
  'PUT /servers/:id/tools/:name': tool('same-t-0'),
  'PATCH /servers/:id/tools/:name': { description: 'Taken over' },
  'POST /servers/:id/tools/:name/call': {},
  'PATCH /members/:id': { name: 'Taken over' },
  'PATCH /agents/:id': { name: 'Taken over' },
  'PATCH /accounts/:id': { alias: 'taken-over' },
  'PATCH /variables/:id': { values: { production: 'Taken over' } },
  'PATCH /connections/:id': { name: 'Taken over' },
  'POST /servers/:id/approve': { tools: [{ name: 'same-t-0' }], revision: 1 },
}

type Route = { method: string; path: string; hasBody: boolean }

describe('Two organizations', () => {
  let rollcall: Rollcall
  let routes: Route[]
  let run = 0
  before(async () => {
    rollcall = await startRollcall()
    const { json } = await rollcall.send('/openapi.json')
    const { paths } = json as { paths: Record<string, Record<string, { requestBody?: object }>> }
    routes = Object.entries(paths).flatMap(([full, operations]) =>
      Object.entries(operations).map(([method, { requestBody }]) => ({
        method: method.toUpperCase(),
        path: full.replace('/api/v1', '').replaceAll(/\{(\w+)\}/g, ':$1'),
        hasBody: requestBody !== undefined,
      })),
    )
    // Organizations themselves are the operator's.
    routes = routes.filter(({ path }) => !path.startsWith('/organizations'))
    assert.ok(routes.length > 60)
  })
  after(() => rollcall.close())

  const as = (credential: string) => ({ authorization: `Bearer ${credential}` })
  /** An admin by its session, a drawn member by its key, an agent, and the operator within it. */
  const administering = ({ callers, headers }: Tenant) => [
    ...[0, 3, callers.length - 1].map((n) => as(callers[n] ?? '')),
    headers,
  ]
  const admin = (method: string, path: string, body: object | undefined, headers: object) =>
    rollcall.admin(method, path, body, { ...headers })

  /** Everything that an organization's callers are shown, as texts by what was asked. */
  async function shown(tenant: Tenant): Promise<Map<string, string>> {
    const { has, callers, hosted } = tenant
    const texts = new Map<string, string>()
    const keep = (name: string, { status, text }: { status: number; text: string }) =>
      texts.set(name, `${status} ${text}`)
    for (const [n, caller] of callers.entries()) {
      for (const path of ['/mcp', ...has.environments.map((name) => `/mcp/env/${name}`)]) {
        keep(`${n} ${path}`, await askGateway(rollcall, caller, LIST, { path }))
      }
      const own = ['manage__whoami', 'manage__accounts_list']
      for (const name of [...has.tools, ...own]) {
        const message = legacy('tools/call', { name, arguments: {} })
        keep(`${n} calls ${name}`, await askGateway(rollcall, caller, message))
      }
      keep(`${n} /connectors`, await rollcall.send('/connectors', { headers: as(caller) }))
    }
    for (const { path, key, tools } of hosted) {
      keep(path, await rollcall.post(path, LIST, as(key)))
      for (const name of tools) {
        const message = legacy('tools/call', { name, arguments: {} })
        keep(`${path} ${name}`, await rollcall.post(path, message, as(key)))
      }
    }
    for (const [n, headers] of administering(tenant).entries()) {
      for (const { method, path } of routes) {
        // The logs go on with what is done; they are looked at by `logged`.
        if (method !== 'GET' || /audit|calls|sessions|^\/approvals/.test(path)) continue
        for (const full of pathsOf(path, has)) {
          keep(`${n} GET ${full}`, await admin(method, full, undefined, headers))
        }
      }
    }
    return texts
  }

  async function logged({ headers }: Tenant): Promise<string> {
    const logs = ['/audit?limit=1000', '/calls?limit=1000'].map((path) =>
      rollcall.admin('GET', path, undefined, headers),
    )
    return (await Promise.all(logs)).map(({ text }) => text).join('\n')
  }

  /** That an answer about another's is the answer about what nobody has. */
  async function sameAsNobodys(
    ask: (id: string) => Promise<{ status: number; text: string }>,
    theirs: string,
    nobodys: string,
    what: string,
  ) {
    const [one, none] = await Promise.all([ask(theirs), ask(nobodys)])
    const text = one.text.replaceAll(theirs, nobodys)
    assert.deepEqual([one.status, text], [none.status, none.text], what)
    return one
  }

  /** Every route by the other's ids, as each caller: 404 for who may do it at all. */
  async function attackIds(tenant: Tenant, other: Tenant): Promise<void> {
    for (const headers of administering(tenant)) {
      for (const { method, path, hasBody } of routes) {
        const [, kind = ''] = path.split('/')
        const nobodys = NOBODY[kind]
        // A server's id may be chosen: see below.
        if (!path.includes(':id') || nobodys === undefined) continue
        if (`${method} ${path}` === 'PUT /servers/:id') continue
        const sent = BODIES[`${method} ${path}`]
        assert.equal(sent !== undefined, hasBody, `a body for ${method} ${path}`)
        const at = path.replace(/:(name|tool)/, 'same-t-0')
        for (const id of kindOf(other, kind).slice(0, 1)) {
          const what = `${method} ${path} ${id}`
          const ask = (each: string) => admin(method, at.replace(':id', each), sent, headers)
          const { status, text } = await sameAsNobodys(ask, id, nobodys, what)
          // Who may not do it at all is told so, whatever the id.
          assert.ok(status === 404 || status === 403, `${what}: ${status} ${text}`)
        }
      }
    }
    const file = { name: 'Taken over', tools: [] }
    for (const id of other.has.servers) {
      const put = await admin('PUT', `/servers/${id}`, file, tenant.headers)
      assert.equal(put.json.error.code, 'server_id_taken')
    }
  }

  /** Bodies, queries and headers that name what is the other's. */
  async function attackReferences(tenant: Tenant, other: Tenant): Promise<void> {
    const [member = '', account = ''] = [tenant.has.members[0], tenant.has.accounts[0]]
    const bodies: [string, string, (id: string) => object][] = [
      ['servers', '/accounts', (server) => ({ server, alias: 'x', credential: { token: 't' } })],
      ['accounts', '/grants', (id) => ({ account: id, to: { member } })],
      ['members', '/grants', (id) => ({ account, to: { member: id } })],
      ['agents', '/grants', (id) => ({ account, to: { agent: id } })],
      ['servers', '/keys', (server) => ({ name: 'x', server })],
      ['members', '/keys', (principal) => ({ name: 'x', kind: 'member', principal })],
      ['agents', '/keys', (principal) => ({ name: 'x', kind: 'agent', principal })],
      ['servers', '/environments', (server) => ({ name: 'x', entries: [{ server }] })],
      [
        'connections',
        '/variables',
        (connection) => ({
          label: 'x',
          type: 'connection',
          values: { production: { connection } },
        }),
      ],
    ]
    for (const headers of administering(tenant)) {
      for (const [kind, path, bodyOf] of bodies) {
        for (const id of kindOf(other, kind).slice(0, 1)) {
          const ask = (each: string) => admin('POST', path, bodyOf(each), headers)
          const { status } = await sameAsNobodys(ask, id, NOBODY[kind] ?? '', `${path} ${kind}`)
          assert.ok(status >= 400 && status < 500, `POST ${path} of ${kind}: ${status}`)
        }
      }
      for (const [kind, path] of [
        ['servers', '/keys?server='],
        ['members', '/keys?principal='],
        ['servers', '/accounts?server='],
        ['members', '/accounts?owner='],
        ['accounts', '/grants?account='],
        ['servers', '/sessions?server='],
        ['servers', '/calls?server='],
        ['members', `/servers/${tenant.has.servers[0]}/preview?surface=gateway&principal=`],
      ] as const) {
        for (const id of kindOf(other, kind).slice(0, 1)) {
          const ask = (each: string) => admin('GET', path + each, undefined, headers)
          await sameAsNobodys(ask, id, NOBODY[kind] ?? '', path + kind)
        }
      }
    }
    for (const caller of tenant.callers) {
      const ask = (name: string) =>
        admin('GET', '/servers', undefined, { ...as(caller), 'rollcall-organization': name })
      for (const name of [other.mark, other.id]) {
        const { status } = await sameAsNobodys(ask, name, 'nobodys', 'the header')
        // The admin API is not for agents, of whatever organization; one stands last.
        assert.equal(status, caller === tenant.callers.at(-1) ? 403 : 404)
      }
      const message = (name: string, args = {}) => legacy('tools/call', { name, arguments: args })
      for (const name of other.has.tools.filter((each) => !tenant.has.tools.includes(each))) {
        const call = (each: string) => askGateway(rollcall, caller, message(each))
        const { text } = await sameAsNobodys(call, name, 'nobodys__tool', name)
        assert.match(text, /Tool not found/)
      }
      for (const name of other.has.environments.filter((each) => each.includes(other.mark))) {
        const list = (each: string) =>
          askGateway(rollcall, caller, LIST, { path: `/mcp/env/${each}` })
        const { status } = await sameAsNobodys(list, name, 'nobodys', name)
        assert.equal(status, 404)
      }
      for (const alias of other.has.aliases.filter((each) => each.includes(other.mark))) {
        for (const name of tenant.has.tools.slice(0, 2)) {
          const call = (account_: string) =>
            askGateway(rollcall, caller, message(name, { account: account_ }))
          await sameAsNobodys(call, alias, 'nobodys', alias)
        }
      }
    }
    // Few, since wrong credentials are counted against the address they come from.
    const { path = '' } = other.hosted[0] ?? {}
    for (const key of [tenant.callers[0], tenant.callers.at(-1), tenant.hosted[0]?.key]) {
      assert.equal((await rollcall.post(path, LIST, as(key ?? ''))).status, 401)
    }
  }

  it('show each other nothing, count nothing of each other, and change nothing', async () => {
    const property = fc.asyncProperty(drawnTenant, drawnTenant, async (drawn, drawnOther) => {
      run += 1
      const one = await makeTenant(rollcall, drawn, `one${run}zq`)
      const before_ = await shown(one)
      const other = await makeTenant(rollcall, drawnOther, `other${run}zq`)
      const beforeOther = await shown(other)
      await attackIds(other, one)
      await attackReferences(other, one)
      const log = await logged(one) // before one has named what is the other's itself
      await attackIds(one, other)
      await attackReferences(one, other)
      assert.deepEqual(await shown(one), before_)
      assert.deepEqual(await shown(other), beforeOther)
      for (const [mine, theirs, texts] of [
        [one, other, [...before_.values(), log]],
        [other, one, [...beforeOther.values()]],
      ] as const) {
        const text = texts.join('\n')
        assert.ok(text.includes(`"name":"${mine.mark} server 0"`))
        const { has } = theirs
        const ids = [
          has.approvals,
          has.servers,
          has.members,
          has.agents,
          has.keys,
          has.accounts,
          has.grants,
        ]
        for (const word of [theirs.mark, theirs.id, ...ids.flat()]) {
          assert.ok(!text.includes(word), `${word} is shown to ${mine.mark}`)
        }
      }
    })
    await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true })
  })
})

function kindOf({ has }: Tenant, kind: string): readonly string[] {
  return has[kind as keyof Tenant['has']]
}

/** A route's path with each of what an organization has in the place of its parameter. */
function pathsOf(path: string, has: Tenant['has']): string[] {
  const [, kind = ''] = path.split('/')
  const at = path.includes('/preview')
    ? `${path}?surface=gateway&principal=${has.members[0]}`
    : path
  if (!path.includes(':')) return [at]
  const ids = has[kind as keyof Tenant['has']]
  return ids.map((id) => at.replace(/:(id|name)/, id).replace(':name', 'same-t-0'))
}
