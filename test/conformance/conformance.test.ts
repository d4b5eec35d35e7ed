/** The official conformance suite at all four revisions, against a server that is data alone. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { BEYOND_DATA, PASSES_EMPTILY } from './beyond-data.ts'
import { nameOf, REVISIONS, runAll, type Outcome } from './suite.ts'

const RUNS = 101
const ID = 'c0f0c0f0c0f0c0f0'

describe('The conformance suite', () => {
  let rollcall: Rollcall
  let outcomes: Outcome[]
  before(async () => {
    rollcall = await startRollcall({ vars: { INITIALIZE_LIMIT: '6000' } })
    const file = await readFile(join(import.meta.dirname, 'everything.json'), 'utf8')
    const { status, text } = await rollcall.admin('PUT', `/servers/${ID}`, file)
    assert.equal(status, 201, text)
    outcomes = await runAll(`${rollcall.url}/mcp/conformance/${ID}`)
  })
  after(() => rollcall.close())

  for (const revision of REVISIONS) {
    it(`finds no failure and no warning at ${revision} in all that data can pass`, () => {
      const wrong = outcomes
        .filter(
          (outcome) => outcome.revision === revision && BEYOND_DATA[nameOf(outcome)] === undefined,
        )
        .filter(({ problems }) => problems.length > 0)
      assert.deepEqual(wrong, [])
    })
  }

  it('has nothing in the list of runs beyond data that passes', () => {
    const passing = outcomes.filter(({ problems }) => problems.length === 0).map(nameOf)
    const listed = passing.filter((name) => BEYOND_DATA[name] !== undefined)
    assert.deepEqual(
      listed.filter((name) => !PASSES_EMPTILY.has(name)),
      [],
    )
  })

  it('is run whole: 81 of its 101 runs pass', () => {
    const passed = outcomes.filter(({ problems }) => problems.length === 0).map(nameOf)
    assert.equal(outcomes.length, RUNS)
    assert.equal(passed.filter((name) => !PASSES_EMPTILY.has(name)).length, 81)
  })
})
