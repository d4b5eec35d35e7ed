import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Steps } from '../../src/handlers/steps.ts'

const progress = (value: number, members: object = {}) => ({
  progress: { progress: value, ...members },
})

describe('Steps', () => {
  const good: [string, unknown[]][] = [
    ['none', []],
    [
      'progress that rises, waits and logs between',
      [
        progress(0),
        { waitMs: 0 },
        progress(0.5, { total: 1, message: '' }),
        { log: { level: 'info', data: null } },
        progress(1),
      ],
    ],
    ['progress that begins below zero', [progress(-1), progress(0)]],
    ['a hundred', Array.from({ length: 100 }, () => ({ waitMs: 1 }))],
  ]
  for (const [what, steps] of good) {
    it(`take ${what}`, () => assert.deepEqual(Steps.parse(steps), steps))
  }

  const bad: [string, unknown][] = [
    ['progress that stands', [progress(1), progress(1)]],
    ['progress that falls, a wait between', [progress(2), { waitMs: 1 }, progress(1)]],
    ['a wait of over a minute', [{ waitMs: 60_001 }]],
    ['a wait below zero', [{ waitMs: -1 }]],
    ['a log of no level', [{ log: { data: 1 } }]],
    ['a log of an unknown level', [{ log: { level: 'loud', data: 1 } }]],
    ['two things in one step', [{ waitMs: 1, log: { level: 'info', data: 1 } }]],
    ['an empty step', [{}]],
    ['an unknown step', [{ sleep: 1 }]],
    ['over a hundred', Array.from({ length: 101 }, () => ({ waitMs: 1 }))],
    ['an object', {}],
  ]
  for (const [what, steps] of bad) {
    it(`refuse ${what}`, () => assert.equal(Steps.safeParse(steps).success, false))
  }
})
