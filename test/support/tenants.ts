/** Random organizations whose every text carries a mark of theirs, while many names are the same in all. */
import * as fc from 'fast-check'
import { createOrganization, createServer, inOrganization } from './admin.ts'
import { accountOf, make, untilTold } from './gateway.ts'
import { callTool } from './gateway-client.ts'
import type { Rollcall } from './rollcall.ts'
import { tool } from './servers.ts'

export type Drawn = {
  servers: { nature: 'built-in' | 'connector' | 'bare'; tools: number; marked: boolean }[]
  members: { isAdmin: boolean; marked: boolean }[]
  accounts: {
    server: number
    owner: number | undefined
    to: 'nobody' | 'everybody' | 'member' | 'agent'
    some: boolean
    state: 'connected' | 'needs_reauth'
    marked: boolean
  }[]
  environments: { server: number; some: boolean; marked: boolean }[]
}

export type Tenant = {
  /** In every text that is its own. */
  mark: string
  id: string
  headers: Record<string, string>
  /** Ids and names of what it has, by the first segment of their paths in the admin API. */
  has: Record<
    | 'servers'
    | 'members'
    | 'agents'
    | 'keys'
    | 'accounts'
    | 'grants'
    | 'variables'
    | 'connections'
    | 'approvals',
    string[]
  > & {
    environments: string[]
    secrets: string[]
    aliases: string[]
    tools: string[]
  }
  /** Credentials of the gateway and the admin API; an admin's session stands first. */
  callers: string[]
  /** Endpoints with the key of each. */
  hosted: { path: string; key: string; tools: string[] }[]
}

const index = fc.nat({ max: 9 })
const marked = fc.boolean()

/** What an organization is made of: indexes are taken around. */
export const drawnTenant: fc.Arbitrary<Drawn> = fc.record({
  servers: fc.array(
    fc.record({
      nature: fc.constantFrom('built-in', 'connector', 'connector', 'bare'),
      tools: fc.integer({ min: 1, max: 3 }),
      marked,
    }),
    { minLength: 2, maxLength: 4 },
  ),
  members: fc.array(fc.record({ isAdmin: fc.boolean(), marked }), { minLength: 1, maxLength: 2 }),
  accounts: fc.array(
    fc.record({
      server: index,
      owner: fc.option(index, { nil: undefined }),
      to: fc.constantFrom('nobody', 'everybody', 'member', 'agent'),
      some: fc.boolean(),
      state: fc.constantFrom('connected', 'needs_reauth'),
      marked,
    }),
    { minLength: 1, maxLength: 5 },
  ),
  environments: fc.array(fc.record({ server: index, some: fc.boolean(), marked }), {
    minLength: 1,
    maxLength: 2,
  }),
})

/** Makes an organization as drawn, and waits until all of it is published. */
export async function makeTenant(rollcall: Rollcall, drawn: Drawn, mark: string): Promise<Tenant> {
  const { id } = await createOrganization(rollcall, mark)
  const headers = inOrganization(mark)
  const has: Tenant['has'] = {
    servers: [],
    members: [],
    agents: [],
    keys: [],
    accounts: [],
    grants: [],
    variables: [],
    connections: [],
    approvals: [],
    environments: [],
    secrets: ['same', `${mark}-secret`],
    aliases: [],
    tools: [],
  }
  const named = (isMarked: boolean, what: string, n: number) =>
    `${isMarked ? mark : 'same'}-${what}-${n}`
  const post = (path: string, body: object) => make(rollcall, path, body, headers)
  const hosted: Tenant['hosted'] = []
  const connectors: { id: string; tools: string[] }[] = []

  for (const name of has.secrets) {
    await rollcall.admin('PUT', `/secrets/${name}`, { value: `${mark} value` }, headers)
  }
  for (const label of ['same', `${mark}_variable`]) {
    const values = { production: `${mark} value` }
    has.variables.push((await post('/variables', { label, type: 'string', values })).id)
  }
  const bearer = { value: `${mark} token` }
  const connection = { name: `${mark} connection`, auth: { type: 'bearer', token: bearer } }
  has.connections.push((await post('/connections', connection)).id)
  for (const [n, { nature, tools, ...server }] of drawn.servers.entries()) {
    const slug = named(server.marked, 's', n)
    const names = Array.from({ length: tools }, (_, t) => named(server.marked, 't', t))
    const made = await createServer(
      rollcall,
      {
        name: `${mark} server ${n}`,
        slug,
        auth: 'key',
        ...(nature !== 'bare' && { gateway: slug }),
        ...(nature === 'connector' && { account: 'required' }),
        tools: names.map((name) =>
          tool(name, {
            description: `A tool of ${mark}`,
            handler: {
              kind: 'static',
              result: { content: [{ type: 'text', text: `${name} of ${mark} ran` }] },
            },
          }),
        ),
      },
      headers,
    )
    has.servers.push(made.id)
    if (nature !== 'bare') has.tools.push(...names.map((name) => `${slug}__${name}`))
    if (nature === 'connector') connectors.push({ id: made.id, tools: names })
    const key = await createKeyIn(made.id)
    hosted.push({ path: `/mcp/${slug}/${made.id}`, key, tools: names })
  }

  async function createKeyIn(server: string): Promise<string> {
    const key = await post('/keys', { name: `${mark} key`, server })
    has.keys.push(key.id)
    return key.secret
  }
  const person = async (kind: 'member' | 'agent', members: object): Promise<string[]> => {
    const { id: principal } = await post(`/${kind}s`, members)
    const key = await post('/keys', { name: `${mark} key`, kind, principal })
    has[`${kind}s`].push(principal)
    has.keys.push(key.id)
    if (kind === 'agent') return [key.secret]
    const { token } = await post(`/members/${principal}/session`, {})
    return [token, key.secret]
  }
  const callers: string[] = []
  for (const [n, { isAdmin, ...member }] of [
    { isAdmin: true, marked: true },
    ...drawn.members,
  ].entries()) {
    const role = isAdmin ? 'admin' : 'member'
    const name = `${named(member.marked, 'member', n)} of ${mark}`
    callers.push(...(await person('member', { name, role })))
  }
  callers.push(...(await person('agent', { name: `Agent of ${mark}` })))

  const around = <T>(all: readonly T[], n: number): T | undefined => all[n % all.length]
  for (const [n, { owner: by, to, some, ...account }] of drawn.accounts.entries()) {
    const server = around(connectors, account.server)
    if (server === undefined) continue
    const owner = by === undefined ? null : (around(has.members, by) ?? null)
    const alias = named(account.marked, 'alias', n)
    const members = { owner, state: account.state, identity: `${mark}@example.com` }
    const made = await post('/accounts', accountOf(server.id, alias, members))
    has.accounts.push(made.id)
    has.aliases.push(alias)
    if (to === 'nobody' || (to === 'agent' && owner !== null)) continue
    const people = to === 'agent' ? has.agents : has.members
    const whom = people.find((each) => each !== owner)
    if (whom === undefined) continue
    const grantee = to === 'everybody' ? to : { [to]: whom }
    const tools = some ? { tools: server.tools.slice(0, 1) } : {}
    has.grants.push((await post('/grants', { account: made.id, to: grantee, ...tools })).id)
  }
  for (const [n, { some, ...environment }] of drawn.environments.entries()) {
    const server = around(connectors, environment.server)
    const tools = some && server ? { tools: server.tools.slice(0, 1) } : {}
    const name = named(environment.marked, 'env', n)
    await post('/environments', { name, entries: server ? [{ server: server.id, ...tools }] : [] })
    has.environments.push(name)
  }
  const held = tool('ask', { description: `Asks at ${mark}` })
  const asking = { name: `${mark} held`, slug: 'held', auth: 'key', gateway: 'held', tools: [held] }
  has.servers.push((await createServer(rollcall, asking, headers)).id)
  const approvals = { rules: [{ match: { tool: 'ask' }, effect: 'ask' }], default: 'run' }
  await rollcall.admin('PATCH', '/settings', { features: { approvals: true }, approvals }, headers)
  await untilTold(rollcall, id)
  const { result } = await callTool(rollcall, callers.at(-1) ?? '', 'held__ask')
  has.approvals.push(result.structuredContent.approval_id)
  return { mark, id, headers, has, callers, hosted }
}
