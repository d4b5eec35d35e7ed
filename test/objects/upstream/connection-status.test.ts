import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { statusAfter } from '../../../src/objects/upstream/connection-status.ts'
import { UpstreamFault } from '../../../src/upstream/mcp/fault.ts'

const noToken = new UpstreamFault('no_token', 'The token endpoint at x answered 401')
const refused = new UpstreamFault('status', 'The remote server answered 500', { status: 500 })
const away = new UpstreamFault('unreachable', 'The remote server cannot be reached')
const failed = { status: 'refresh_failed', detail: noToken.message }

describe('The status of an auth connection', () => {
  const rows = [
    ['active', noToken, failed],
    ['refresh_failed', noToken, undefined],
    ['refresh_failed', undefined, { status: 'active' }],
    ['refresh_failed', refused, { status: 'active' }],
    ['refresh_failed', away, undefined],
    ['active', undefined, undefined],
    ['active', away, undefined],
    ['revoked', undefined, undefined],
  ] as const
  for (const [before, fault, after] of rows) {
    it(`${before} after ${fault?.kind ?? 'a good visit'} is ${after?.status ?? 'the same'}`, () => {
      assert.deepEqual(statusAfter(before, fault), after)
    })
  }
})
