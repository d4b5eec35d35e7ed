import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  findVariable,
  listVariables,
  writeVariable,
  type VariableRow,
} from '../../../src/objects/organization/variables.ts'
import { createSql } from '../../support/sql.ts'

const row = (n: number, values: VariableRow['values'] = { production: 'x' }): VariableRow => ({
  id: `envvar_${n}`,
  label: `v_${String(n).padStart(4, '0')}`,
  type: 'string',
  values,
  createdBy: 'mem_a',
  createdAt: 1,
  updatedAt: 1,
})

describe('The variables of an organization', () => {
  it('are found by their label and listed by it', () => {
    const sql = createSql()
    for (const n of [3, 1, 2]) writeVariable(sql, row(n))
    assert.deepEqual(findVariable(sql, 'v_0002')?.values, { production: 'x' })
    assert.equal(findVariable(sql, 'v_0004'), undefined)
    assert.deepEqual(
      listVariables(sql, {}, 'v_0001', 10).map(({ label }) => label),
      ['v_0002', 'v_0003'],
    )
  })

  it('are found by an environment whatever its name is', () => {
    const sql = createSql()
    writeVariable(sql, row(1, { production: 'x', 'a-b': 'y' }))
    writeVariable(sql, row(2, { production: 'a-b' }))
    const found = listVariables(sql, { environment: 'a-b' }, '', 10)
    assert.deepEqual(
      found.map(({ values }) => values),
      [{ 'a-b': 'y' }],
    )
  })

  it('are a thousand at most', () => {
    const sql = createSql()
    for (let n = 0; n < 1000; n++) writeVariable(sql, row(n))
    assert.throws(() => writeVariable(sql, row(1000)), { code: 'too_many_variables' })
    writeVariable(sql, row(999, { production: 'changed' }))
    assert.deepEqual(findVariable(sql, 'v_0999')?.values, { production: 'changed' })
  })

  it('are no more than a list of them can carry', () => {
    const sql = createSql()
    const large = (size: number) => ({ production: 'x'.repeat(size) })
    assert.throws(() => writeVariable(sql, row(0, large(2 ** 20))), { status: 413 })
    for (const n of [1, 2, 3, 4]) writeVariable(sql, row(n, large(2 ** 20 - 100)))
    assert.throws(() => writeVariable(sql, row(5, large(1000))), { code: 'variables_too_large' })
  })
})
