import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { crash } from '../chaos/crash.ts'

const KILLS = 5 // `npm run chaos` does 100

await test('a crash at any moment loses nothing that was acknowledged', async (context) => {
  const seed = randomInt(2 ** 32)
  const say = (line: string) => context.diagnostic(line)
  const { violations } = await crash({ kills: KILLS, seed, say })
  assert.deepEqual(violations, [], `node test/chaos/chaos.ts ${KILLS} ${seed}`)
})
