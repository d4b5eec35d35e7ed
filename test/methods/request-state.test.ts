import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openState, sealState } from '../../src/methods/request-state.ts'
import { SealKeys } from '../../src/sealing/seal-keys.ts'
import { open, seal } from '../../src/sealing/seal.ts'
import type { World } from '../../src/upstream/world.ts'
import { WORLD } from '../support/exchanges.ts'
import { SEAL_KEYS } from '../support/rollcall.ts'

const keys = SealKeys.parse(SEAL_KEYS)
const world: World = {
  ...WORLD,
  seal: (place, text) => seal(keys, place, text),
  unseal: (place, sealed) => open(keys, place, sealed),
}
const PLACE = ['org_a', 'server', 'key_1', 'tools/call', 'a', 'digest']
const MINUTE_MS = 60_000

describe('A requestState', () => {
  it('opens for half an hour, and then says that it has expired', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    const sealed = await sealState(world, PLACE, 'of the remote server')
    t.mock.timers.tick(29 * MINUTE_MS)
    assert.equal(await openState(world, PLACE, sealed), 'of the remote server')
    t.mock.timers.tick(MINUTE_MS)
    await assert.rejects(openState(world, PLACE, sealed), { code: -32602, message: /expired/ })
  })

  it('opens nowhere but where it was sealed for', async () => {
    const sealed = await sealState(world, PLACE, 'x')
    for (const index of PLACE.keys()) {
      const other = PLACE.with(index, 'other')
      await assert.rejects(openState(world, other, sealed), { code: -32602, message: /not valid/ })
    }
  })
})
