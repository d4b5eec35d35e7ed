import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { externalHash } from '../../../src/callers/principal.ts'
import {
  findDeadKey,
  formatCredential,
  isCallerLive,
  refusePrincipal,
  revokeKey,
  rotateKey,
  writeKey,
} from '../../../src/objects/organization/credentials.ts'
import { setNameState } from '../../../src/objects/organization/names.ts'
import { dropPrincipal, writePrincipal } from '../../../src/objects/organization/principals.ts'
import { STEPS } from '../../../src/objects/organization/schema.ts'
import { createSql } from '../../support/sql.ts'

const NOW = 1_800_000_000_000
const PRINCIPAL_STEP = STEPS.findIndex((step) => step.includes('CREATE TABLE principals'))

describe('keys in the database', () => {
  it('keep the server keys there were before there were others', () => {
    const database = new DatabaseSync(':memory:')
    database.exec(STEPS.slice(0, PRINCIPAL_STEP).join(''))
    database.exec(
      `INSERT INTO credentials VALUES ('key_1', 'h', 'Old', 's', '["a"]', 'abcd', 1, NULL, 2)`,
    )
    database.exec(STEPS.slice(PRINCIPAL_STEP).join(''))
    const { kind, server, tools, revoked_at } =
      database.prepare('SELECT * FROM credentials').get() ?? {}
    assert.deepEqual([kind, server, tools, revoked_at], ['server', 's', '["a"]', 2])
  })

  it('are dead by their old hash when they are rotated, and by any when they are revoked', () => {
    const sql = createSql()
    const key = { id: 'key_1', kind: 'server' as const, name: 'K', server: 's' }
    writeKey(sql, { ...key, hash: 'old', lastFour: 'aaaa' }, NOW)
    const name = { kind: 'credential' as const, target: 'key_1' }
    setNameState(sql, { ...name, name: 'old' }, 'held')
    assert.equal(findDeadKey(sql, 'old'), undefined)
    rotateKey(sql, 'key_1', { hash: 'new', lastFour: 'bbbb' })
    setNameState(sql, { ...name, name: 'old' }, 'releasing')
    assert.equal(formatCredential(sql, 'org_1', 'old'), '{}')
    assert.deepEqual({ ...findDeadKey(sql, 'old') }, { id: 'key_1', server: 's' })
    assert.equal(findDeadKey(sql, 'new'), undefined)
    revokeKey(sql, 'key_1', NOW)
    assert.deepEqual({ ...findDeadKey(sql, 'new') }, { id: 'key_1', server: 's' })
  })

  it('stand for their principal while both are good', () => {
    const sql = createSql()
    const member = {
      id: 'mem_1',
      kind: 'member' as const,
      name: 'M',
      permissions: [],
      settings: {},
    }
    const of = { credential: 'key_1', principal: 'mem_1' }
    writePrincipal(sql, { ...member, status: 'active' }, NOW)
    assert.equal(refusePrincipal(sql, of, NOW), 'invalid_api_key')
    const expiresAt = new Date(NOW + 1000).toISOString()
    const key = { id: 'key_1', kind: 'member' as const, name: 'K', principal: 'mem_1', expiresAt }
    writeKey(sql, { ...key, hash: 'h', lastFour: 'aaaa' }, NOW)
    assert.equal(refusePrincipal(sql, of, NOW), undefined)
    assert.equal(refusePrincipal(sql, of, NOW + 1001), 'invalid_api_key')
    const externalId = { issuer: 'https://login.example.com', subject: 'ada' }
    const person = externalHash(externalId)
    const signedIn = { credential: 'mem_1', principal: 'mem_1', person }
    assert.equal(refusePrincipal(sql, signedIn, NOW), 'invalid_api_key')
    assert.equal(isCallerLive(sql, { id: 'mem_1', person }, NOW), false)
    writePrincipal(sql, { ...member, externalId, status: 'active' }, NOW)
    assert.equal(refusePrincipal(sql, signedIn, NOW), undefined)
    assert.equal(isCallerLive(sql, { id: 'mem_1', person }, NOW), true)
    writePrincipal(sql, { ...member, status: 'suspended' }, NOW)
    assert.equal(refusePrincipal(sql, of, NOW), 'member_suspended')
    dropPrincipal(sql, 'mem_1')
    assert.equal(refusePrincipal(sql, of, NOW), 'invalid_api_key')
  })
})
