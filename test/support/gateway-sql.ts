/** An organization's database in plain Node, with what a gateway has: for tests of the rules on it. */
import { ServerSettings } from '../../src/catalog/server.ts'
import type { Context } from '../../src/objects/organization/context.ts'
import { writePrincipal } from '../../src/objects/organization/principals.ts'
import { writeOrganization } from '../../src/objects/organization/record.ts'
import { writeServer } from '../../src/objects/organization/servers.ts'
import { writeAccount } from '../../src/objects/organization/account-rows.ts'
import { parseTool } from '../../src/catalog/tool.ts'
import { createSql } from './sql.ts'
import { tool } from './servers.ts'

export const NOTION = '00000000000000aa'
export const MEMORY = '00000000000000bb'
export const REMOTE = '00000000000000cc'
export const NOW = Date.UTC(2026, 6, 28)

/** An organization with members `mem_a` and `mem_b`, an agent, a connector, a built-in and a remote server. */
export function createGateway() {
  const sql = createSql()
  const context = {
    sql,
    now: NOW,
    organization: 'org_a',
    transact: <T>(write: () => T) => write(),
  } as Context
  writeOrganization(sql, 'org_a', 'a', NOW)
  const server = (id: string, members: object, tools: readonly string[]) => {
    const settings = ServerSettings.parse({ name: id, slug: id, auth: 'key', ...members })
    const put = tools.map((name, sortOrder) => ({ ...parseTool(tool(name)), sortOrder }))
    const items = { put, remove: 'others' as const }
    writeServer(sql, id, { settings, items }, { actor: 'test', act: 'test', target: id }, NOW)
  }
  server(NOTION, { account: 'required', gateway: 'notion' }, ['read', 'write'])
  server(MEMORY, { gateway: 'memory' }, ['search'])
  server(REMOTE, { kind: 'remote', remote: { url: 'https://example.com/' }, gateway: true }, [])
  for (const id of ['mem_a', 'mem_b', 'agt_c']) {
    const kind = id.startsWith('agt') ? 'agent' : 'member'
    const principal = { id, kind, name: id, permissions: [], settings: {} } as const
    writePrincipal(sql, { ...principal, status: 'active' }, NOW)
  }
  return {
    sql,
    context,
    /** Stores an account of the connector. */
    account: (
      alias: string,
      owner: string | null,
      state: 'connected' | 'needs_reauth' = 'connected',
    ) => {
      const id = `acc_${alias}`
      const row = { id, server: NOTION, owner, alias, identity: null, state }
      const rest = { sealed: `sealed ${alias}`, ends_at: null, created_at: NOW, updated_at: NOW }
      writeAccount(sql, { ...row, ...rest })
      return id
    },
    suspend: (id: string) => {
      sql.exec("UPDATE principals SET status = 'suspended' WHERE id = ?", id)
    },
  }
}
