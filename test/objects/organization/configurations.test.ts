import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { ServerSettings } from '../../../src/catalog/server.ts'
import { pageOfConfigurations } from '../../../src/objects/organization/configuration-commands.ts'
import {
  configurationOf,
  listConfigurations,
  readExtras,
  requireConfiguration,
} from '../../../src/objects/organization/configurations.ts'
import { deleteServer } from '../../../src/objects/organization/server-commands.ts'
import { writeServer, type NextServer } from '../../../src/objects/organization/servers.ts'
import { STEPS } from '../../../src/objects/organization/schema.ts'
import { createGateway, MEMORY, NOTION, NOW, REMOTE } from '../../support/gateway-sql.ts'

const LAST_STEP = STEPS.findIndex((step) => step.includes('CREATE TABLE configurations'))

/** A gateway whose remote server is written as said, by `mem_a`. */
function createServers() {
  const { sql, context } = createGateway()
  const write = (id: string, members: object, rest: Omit<NextServer, 'settings'> = {}) => {
    const remote = { url: 'https://example.com/' }
    const file = { name: id, slug: id, kind: 'remote', auth: 'key', gateway: true, remote }
    const settings = ServerSettings.parse({ ...file, ...members })
    const act = { actor: 'mem_a', act: 'test', target: id }
    return writeServer(sql, id, { settings, ...rest }, act, NOW)
  }
  return { sql, context, write }
}

describe('configurations in the database', () => {
  it('are there for remote servers without accounts, and no others', () => {
    const { sql, write } = createServers()
    assert.equal(configurationOf(sql, NOTION), undefined)
    assert.equal(configurationOf(sql, MEMORY), undefined)
    const id = configurationOf(sql, REMOTE) ?? ''
    assert.match(id, /^mcps_[0-9a-hjkmnp-tv-z]{20}$/)
    const made = { id, server: REMOTE, extras: '{}', createdBy: 'test', createdAt: NOW }
    assert.deepEqual(requireConfiguration(sql, id), made)
    write('00000000000000dd', { account: 'required' })
    assert.equal(configurationOf(sql, '00000000000000dd'), undefined)
    write(REMOTE, { name: 'Renamed' })
    assert.equal(configurationOf(sql, REMOTE), id)
  })

  it('make a revision where the extras alone are others', () => {
    const { sql, write } = createServers()
    const before = write(REMOTE, {}, { extras: '{"speech":{}}' })
    assert.equal(readExtras(sql, REMOTE), '{"speech":{}}')
    assert.equal(write(REMOTE, {}, { extras: '{"speech":{}}' }), before)
    assert.equal(write(REMOTE, {}), before)
    assert.equal(write(REMOTE, {}, { extras: '{}' }), before + 1)
    assert.equal(readExtras(sql, REMOTE), '{}')
  })

  it('go with their server, and come anew with the next', () => {
    const { sql, context, write } = createServers()
    write(REMOTE, {}, { extras: '{"a":1}' })
    const id = configurationOf(sql, REMOTE) ?? ''
    deleteServer(context, REMOTE, { actor: 'mem_a' })
    assert.equal(configurationOf(sql, REMOTE), undefined)
    assert.throws(() => requireConfiguration(sql, id), { code: 'mcp_server_not_found' })
    write(REMOTE, {})
    assert.notEqual(configurationOf(sql, REMOTE), id)
    assert.equal(readExtras(sql, REMOTE), '{}')
  })

  it('begin with what the copied server had', () => {
    const { sql, write } = createServers()
    write(REMOTE, {}, { extras: '{"a":1}' })
    write('00000000000000dd', {}, { copyOf: REMOTE })
    assert.equal(readExtras(sql, '00000000000000dd'), '{"a":1}')
  })

  it('are listed in the order in which they were made, page by page', () => {
    const { sql, write } = createServers()
    for (const digit of ['f', 'e', 'd']) write(`000000000000000${digit}`, {})
    const servers: string[] = []
    let after = 0
    for (;;) {
      const page = listConfigurations(sql, after, 2)
      servers.push(...page.map(({ configuration }) => configuration.server.slice(-1)))
      after = page.at(-1)?.position ?? 0
      if (page.length < 2) break
    }
    assert.deepEqual(servers, ['c', 'f', 'e', 'd'])
  })

  it('cross to the surface in pages that an RPC carries', () => {
    const { context, write } = createServers()
    const extras = JSON.stringify({ long: 'x'.repeat(250_000) })
    const ids = Array.from({ length: 20 }, (_, index) => `00000000000001${10 + index}`)
    for (const id of ids) write(id, {}, { extras })
    const first = pageOfConfigurations(context, 0)
    const second = pageOfConfigurations(context, first.next ?? 0)
    const servers = [...first.items, ...second.items].map(({ server }) => server.id)
    assert.deepEqual(servers, [REMOTE, ...ids])
    assert.ok(JSON.stringify(first).length < 5 * 1024 * 1024)
    assert.equal(second.next, undefined)
  })

  it('are made for the remote servers there were before', () => {
    const database = new DatabaseSync(':memory:')
    database.exec(STEPS.slice(0, LAST_STEP).join(''))
    const server = (id: string, settings: object, deleted: number | null = null) =>
      database
        .prepare('INSERT INTO servers VALUES (?, ?, ?, 1, ?, 9, ?)')
        .run(id, id, JSON.stringify(settings), NOW, deleted)
    server('remote', { kind: 'remote' })
    server('other', { kind: 'remote' })
    server('connector', { kind: 'remote', account: 'required' })
    server('hosted', {})
    server('gone', { kind: 'remote' }, NOW)
    const revision = database.prepare(
      "INSERT INTO revisions VALUES ('remote', ?, 1, ?, 'act', '{}', NULL)",
    )
    revision.run(1, 'upstream')
    revision.run(2, 'mem_a')
    database.exec(STEPS.slice(LAST_STEP).join(''))
    const rows = database.prepare('SELECT * FROM configurations ORDER BY server').all()
    assert.deepEqual(
      rows.map(({ id: _, ...row }) => row),
      [
        { server: 'other', extras: '{}', created_by: 'operator', created_at: NOW },
        { server: 'remote', extras: '{}', created_by: 'mem_a', created_at: NOW },
      ],
    )
    for (const { id } of rows) assert.match(String(id), /^mcps_[0-9a-f]{20}$/)
    assert.notEqual(rows[0]?.['id'], rows[1]?.['id'])
  })
})
