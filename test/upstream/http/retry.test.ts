import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attemptsOf, delayMs, isPassing } from '../../../src/upstream/http/retry.ts'

describe('Trying again', () => {
  it('is for methods that do the same twice', () => {
    const count = (method: string) => attemptsOf(method, 5)
    assert.deepEqual(['GET', 'HEAD', 'PUT', 'DELETE'].map(count), [6, 6, 6, 6])
    assert.deepEqual(['POST', 'PATCH'].map(count), [1, 1])
  })

  it('is for what may pass', () => {
    const statuses = [200, 400, 401, 404, 408, 425, 429, 500, 501, 502, 503, 504]
    assert.deepEqual(statuses.filter(isPassing), [408, 429, 502, 503, 504])
  })

  const now = Date.parse('2026-12-01T00:00:00Z')
  const delays: [number, string | null, number, number][] = [
    [0, null, 0, 100],
    [0, null, 1, 200],
    [1, null, 0, 200],
    [2, null, 1, 800],
    [20, null, 1, 10_000],
    [0, '3', 0, 3000],
    [0, ' 0 ', 0, 100],
    [0, 'Tue, 01 Dec 2026 00:00:05 GMT', 0, 5000],
    [0, 'Tue, 01 Dec 2020 00:00:05 GMT', 0, 100],
    [0, 'soon', 0, 100],
    [0, '-5', 0, 100],
  ]
  for (const [attempt, retryAfter, random, expected] of delays) {
    it(`waits ${expected} ms after attempt ${attempt}, Retry-After ${retryAfter}, chance ${random}`, () => {
      assert.equal(delayMs(attempt, retryAfter, { now, random }), expected)
    })
  }
})
