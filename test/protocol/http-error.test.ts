import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, outcomeOf, valueOf } from '../../src/protocol/http-error.ts'

/** What is left of a value after it crossed RPC: no class, no methods. */
const crossed = <T>(value: T): T => structuredClone(value)

describe('outcomeOf and valueOf', () => {
  for (const value of [undefined, null, 0, '', false, [], { value: 1 }, { refusal: 1 }]) {
    it(`bring ${JSON.stringify(value)} across unchanged`, async () => {
      assert.deepEqual(valueOf(crossed(await outcomeOf(() => value))), value)
    })
  }

  it('bring a refusal across with status, code, message and details', async () => {
    const details = [{ path: 'tools[0].name', message: 'is missing' }]
    const refused = new HttpError(422, 'invalid', 'tools[0].name is missing', { details })
    const outcome = crossed(await outcomeOf(() => Promise.reject(refused)))
    assert.throws(
      () => valueOf(outcome),
      (error: unknown) => {
        assert.ok(error instanceof HttpError)
        assert.deepEqual(
          [error.status, error.code, error.message, error.details],
          [422, 'invalid', 'tools[0].name is missing', details],
        )
        return true
      },
    )
  })

  it('bring a refusal without details across without them', async () => {
    const refuse = () => {
      throw new HttpError(409, 'slug_taken', 'taken')
    }
    const outcome = await outcomeOf(refuse)
    assert.deepEqual(outcome, { refusal: { status: 409, code: 'slug_taken', message: 'taken' } })
    assert.throws(() => valueOf(outcome), { status: 409, details: undefined })
  })

  it('let any other exception through as it was thrown', async () => {
    const error = new TypeError('ours')
    await assert.rejects(
      outcomeOf(() => Promise.reject(error)),
      error,
    )
  })
})
