/** How a held call begins: whether it still may, and what it runs with. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginHeld } from '../../../src/objects/organization/held-commands.ts'
import { readHeld } from '../../../src/objects/organization/held-records.ts'
import { patchSettings } from '../../../src/objects/organization/settings-commands.ts'
import { deleteAccount } from '../../../src/objects/organization/account-commands.ts'
import { parseTool } from '../../../src/catalog/tool.ts'
import { writeKey } from '../../../src/objects/organization/credentials.ts'
import { writeEnvironment } from '../../../src/objects/organization/environments.ts'
import { requireServer, writeServer } from '../../../src/objects/organization/servers.ts'
import { MEMORY, NOTION, NOW } from '../../support/gateway-sql.ts'
import { bytes, KEYS, setUpHeld, WRITE } from '../../support/held-sql.ts'
import { tool } from '../../support/servers.ts'

describe('A held call in its organization', () => {
  it('is decided anew when it begins: what was taken away since is refused', async () => {
    const { hold, decide, begin, account, context, stateOf, suspend } = setUpHeld()
    account('a', 'mem_a')
    const call = { server: NOTION, tool: 'write', name: 'notion__write' }
    const id = await hold(call)
    decide(id, 'approved')
    deleteAccount(context, 'acc_a', WRITE)
    const refusalOf = async () => {
      const begun = await begin(id)
      return typeof begun === 'object' && 'refused' in begun ? begun.refused.code : 'begun'
    }
    assert.equal(await refusalOf(), 'not_connected')
    assert.equal(await stateOf(id), 'approved', 'and has not been run')
    account('b', 'mem_a')
    const rules = [{ match: { tool: 'write' }, effect: 'refuse' as const }]
    patchSettings(context, { approvals: { rules, default: 'run' } }, WRITE)
    assert.equal(await refusalOf(), 'refused_by_rule')
    patchSettings(context, { approvals: null }, WRITE)
    suspend('mem_a')
    assert.equal(await refusalOf(), 'member_suspended')
    assert.equal(await hold(call), 'member_suspended')
  })

  it('is of the tool as it was: one that has changed since does not run', async () => {
    const { hold, decide, begin, context, stateOf } = setUpHeld()
    const id = await hold()
    decide(id, 'approved')
    const change = (members: object) => {
      const put = [{ ...parseTool(tool('search', members)), sortOrder: 0 }]
      const { settings } = requireServer(context.sql, MEMORY)
      const by = { actor: 'test', act: 'test', target: MEMORY }
      const items = { put, remove: 'others' as const }
      writeServer(context.sql, MEMORY, { settings, items }, by, NOW)
    }
    change({ handler: { kind: 'http', method: 'GET', url: 'https://elsewhere.example/' } })
    const begun = await begin(id)
    assert.ok(typeof begun === 'object' && 'refused' in begun)
    assert.equal(begun.refused.code, 'tool_changed')
    assert.equal(await stateOf(id), 'approved', 'and has not been run')
    change({})
    assert.ok('args' in Object(await begin(id)), 'it is what it was')
  })

  it('shows the arguments with the defaults that it runs with', async () => {
    const { hold, at, context } = setUpHeld()
    const properties = { q: { type: 'string' }, limit: { type: 'number', default: 5 } }
    const put = [
      {
        ...parseTool(tool('search', { inputSchema: { type: 'object', properties } })),
        sortOrder: 0,
      },
    ]
    const { settings } = requireServer(context.sql, MEMORY)
    const by = { actor: 'test', act: 'test', target: MEMORY }
    writeServer(context.sql, MEMORY, { settings, items: { put, remove: 'others' } }, by, NOW)
    await hold({ args: bytes({ q: 'x' }) })
    const which = { state: undefined, before: 1000, limit: 10, withArguments: true }
    const [record] = await readHeld(at(), KEYS, which)
    assert.deepEqual(JSON.parse(record?.arguments ?? ''), { q: 'x', limit: 5 })
  })

  it('runs in the environment that it was held in, by no key of another', async () => {
    const { hold, decide, at, sql, begin } = setUpHeld()
    writeEnvironment(sql, 'staging', [], NOW)
    writeKey(
      sql,
      {
        id: 'key_s',
        hash: 'h',
        kind: 'member',
        name: 's',
        principal: 'mem_a',
        environment: 'staging',
        lastFour: 'abcd',
      },
      NOW,
    )
    const staging = { credential: 'key_s', principal: 'mem_a' }
    const id = await hold()
    decide(id, 'approved')
    const begun = await beginHeld(at(), KEYS, { ...staging, id, run: 'run_s' })
    assert.ok(typeof begun === 'object' && 'refused' in begun)
    assert.equal(begun.refused.code, 'environment_mismatch')
    assert.ok('args' in Object(await begin(id)))
    const bound = await hold({ ...staging, environment: 'staging' })
    decide(bound, 'approved')
    const there = await begin(bound, 'run_2')
    assert.ok(typeof there === 'object' && 'args' in there)
    assert.equal(there.environment, 'staging')
  })

  it('does not begin once the feature is off', async () => {
    const { hold, decide, begin, context } = setUpHeld()
    const id = await hold()
    decide(id, 'approved')
    patchSettings(context, { features: { approvals: false } }, WRITE)
    const begun = await begin(id)
    assert.ok(typeof begun === 'object' && 'refused' in begun)
    assert.equal(begun.refused.code, 'approvals_off')
  })

  it('is ruled by the inputs that are sent, whatever is given in their place', async () => {
    const { hold, context } = setUpHeld()
    const properties = { mode: { type: 'string' } }
    const item = parseTool(tool('search', { inputSchema: { type: 'object', properties } }))
    const binding = JSON.stringify({
      ...JSON.parse(item.binding),
      inputs: { '/mode': { constant: 'live' } },
    })
    const items = { put: [{ ...item, binding, sortOrder: 0 }], remove: 'others' as const }
    const { settings } = requireServer(context.sql, MEMORY)
    const by = { actor: 'test', act: 'test', target: MEMORY }
    writeServer(context.sql, MEMORY, { settings, items }, by, NOW)
    const rules = [{ match: { arguments: { '/mode': 'dry' } }, effect: 'run' as const }]
    patchSettings(context, { approvals: { rules, default: 'refuse' } }, WRITE)
    assert.equal(await hold({ args: bytes({ mode: 'dry' }) }), 'refused_by_rule')
  })

  it('is made with the account that is chosen when it begins', async () => {
    const { hold, decide, begin, account, context } = setUpHeld()
    account('a', 'mem_a')
    const id = await hold({ server: NOTION, tool: 'write', name: 'notion__write' })
    decide(id, 'approved')
    deleteAccount(context, 'acc_a', WRITE)
    account('b', 'mem_a')
    const begun = await begin(id)
    assert.ok(typeof begun === 'object' && 'authorized' in begun)
    assert.equal(begun.authorized.account?.id, 'acc_b')
  })

  it('never runs with arguments that are not those it was made with', async () => {
    const { hold, decide, begin, stateOf, sql } = setUpHeld()
    const [one, other] = [await hold({ args: bytes({ q: 1 }) }), await hold()]
    sql.exec(
      'UPDATE held SET sealed = (SELECT sealed FROM held WHERE id = ?) WHERE id = ?',
      other,
      one,
    )
    decide(one, 'approved')
    assert.equal(await begin(one), 'taken')
    assert.equal(await stateOf(one), 'expired')
    decide(other, 'approved')
    sql.exec("UPDATE held SET digest = 'another' WHERE id = ?", other)
    assert.equal(await begin(other), 'taken')
  })
})
