import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addConnect } from '../../../src/objects/organization/connects.ts'
import { HttpError } from '../../../src/protocol/http-error.ts'
import { createSql } from '../../support/sql.ts'

const NOW = 1_000_000_000_000
const TEN_MINUTES_MS = 600_000

describe('Connect links that wait', () => {
  it('are twenty of one maker for one holder, until they have expired', () => {
    const sql = createSql()
    const add = (n: number, owner: string | null, now = NOW) =>
      addConnect(
        sql,
        { id: `con_${n}`, server: 'a', owner, alias: 'default', created_by: 'operator' },
        now,
      )
    for (let n = 0; n < 20; n++) add(n, 'mem_a')
    const isTooMany = (error: unknown) => error instanceof HttpError && error.status === 429
    assert.throws(() => add(20, 'mem_a'), isTooMany)
    add(21, 'mem_b')
    add(22, null)
    add(23, 'mem_a', NOW + TEN_MINUTES_MS + 1)
  })
})
