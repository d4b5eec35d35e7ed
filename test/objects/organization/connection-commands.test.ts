import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Context } from '../../../src/objects/organization/context.ts'
import { readAudit } from '../../../src/objects/organization/audit.ts'
import {
  createConnection,
  getConnection,
  noteConnection,
  patchConnection,
} from '../../../src/objects/organization/connection-commands.ts'
import { findSealed, secretPlace } from '../../../src/objects/organization/secrets.ts'
import { open } from '../../../src/sealing/seal.ts'
import { SealKeys } from '../../../src/sealing/seal-keys.ts'
import { createSql } from '../../support/sql.ts'

const ID = 'ac_0123456789abcdef0123'
const KEYS = SealKeys.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`)
const BY = { actor: 'mem_a' }
const TOKEN = `${ID}.token`

async function createStore() {
  const context = {
    sql: createSql(),
    now: 1000,
    organization: 'org_a',
    transact: <T>(write: () => T) => write(),
  } as Context
  await createConnection(
    context,
    KEYS,
    {
      id: ID,
      name: 'n',
      provider: 'p',
      auth: { type: 'bearer', token: { secret: TOKEN } },
      secrets: { [TOKEN]: 'hush' },
    },
    BY,
  )
  const acts = () => readAudit(context.sql, Number.MAX_SAFE_INTEGER, 100).map(({ act }) => act)
  return { context, acts, later: (now: number): Context => ({ ...context, now }) }
}

describe('A connection of an organization', () => {
  it('seals its secrets where any secret of the organization is opened', async () => {
    const { context } = await createStore()
    const sealed = findSealed(context.sql, TOKEN) ?? ''
    assert.equal(await open(KEYS, secretPlace('org_a', TOKEN), sealed), 'hush')
  })

  it('keeps its secret while its name changes, and drops it with the member that was it', async () => {
    const { context } = await createStore()
    await patchConnection(context, KEYS, ID, { name: 'm' }, BY)
    assert.ok(findSealed(context.sql, TOKEN))
    const auth = { type: 'basic', username: 'u', password: { secret: `${ID}.password` } } as const
    const secrets = { [`${ID}.password`]: 'pass' }
    await patchConnection(context, KEYS, ID, { auth, secrets }, BY)
    assert.equal(findSealed(context.sql, TOKEN), undefined)
    assert.ok(findSealed(context.sql, `${ID}.password`))
  })

  it('names no secret that is not there', async () => {
    const { context } = await createStore()
    const auth = { type: 'bearer', token: { secret: 'none' } } as const
    await assert.rejects(patchConnection(context, KEYS, ID, { auth }, BY), { code: 'invalid' })
  })

  it('takes in a status once, and counts as good with another secret', async () => {
    const { context, acts, later } = await createStore()
    const failed = { status: 'refresh_failed', detail: 'The token endpoint answered 401' } as const
    noteConnection(later(2000), ID, failed)
    noteConnection(later(3000), ID, failed)
    const { status, statusDetail, statusAt, updatedAt } = getConnection(context, ID)
    assert.deepEqual([status, statusDetail], ['refresh_failed', 'The token endpoint answered 401'])
    assert.deepEqual([statusAt, updatedAt], [2000, 1000])
    assert.equal(acts().filter((act) => act === 'connections.note').length, 1)
    await patchConnection(later(4000), KEYS, ID, { name: 'm' }, BY)
    assert.equal(getConnection(context, ID).status, 'refresh_failed')
    await patchConnection(later(5000), KEYS, ID, { secrets: { [TOKEN]: 'new' } }, BY)
    const after = getConnection(context, ID)
    assert.deepEqual(
      [after.status, after.statusDetail, after.statusAt],
      ['active', undefined, 5000],
    )
  })

  it('hears nothing of a connection that has gone', async () => {
    const { context, acts } = await createStore()
    const before = acts().length
    noteConnection(context, 'ac_00000000000000000000', { status: 'revoked' })
    assert.equal(acts().length, before)
  })
})
