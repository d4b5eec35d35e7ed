import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAtLeast, isLogLevel, LOG_LEVELS } from '../../src/protocol/logging.ts'

describe('log levels', () => {
  it('stand from the least severe to the most', () => {
    assert.equal(
      LOG_LEVELS.join(' < '),
      'debug < info < notice < warning < error < critical < alert < emergency',
    )
  })

  it('are sent at the wanted one and above', () => {
    const sent = LOG_LEVELS.filter((level) => isAtLeast(level, 'error'))
    assert.deepEqual(sent, ['error', 'critical', 'alert', 'emergency'])
  })

  for (const value of ['ERROR', 'warn', '', 3, null, undefined, ['info'], 'constructor']) {
    it(`are not ${JSON.stringify(value)}`, () => assert.equal(isLogLevel(value), false))
  }
})
