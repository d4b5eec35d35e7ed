import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Cancelling } from '../../src/upstream/cancellation.ts'

describe('A cancellation', () => {
  it('tells each who listens once, and nobody who has stopped', () => {
    const told: string[] = []
    const cancelling = new Cancelling()
    const stopped = () => void told.push('stopped')
    cancelling.addEventListener('abort', () => void told.push('one'))
    cancelling.addEventListener('abort', stopped)
    cancelling.addEventListener('abort', () => void told.push('two'))
    cancelling.removeEventListener('abort', stopped)
    assert.equal(cancelling.aborted, false)
    cancelling.abort()
    cancelling.abort()
    assert.equal(cancelling.aborted, true)
    assert.deepEqual(told, ['one', 'two'])
  })

  it('is told as done to who is told of it', () => {
    const cancelling = new Cancelling()
    const seen: boolean[] = []
    cancelling.addEventListener('abort', () => void seen.push(cancelling.aborted))
    cancelling.abort()
    assert.deepEqual(seen, [true])
  })
})
