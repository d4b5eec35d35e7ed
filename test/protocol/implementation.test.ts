import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { ROLLCALL_VERSION } from '../../src/protocol/implementation.ts'

it('says the version that package.json says', async () => {
  const text = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')
  assert.equal(ROLLCALL_VERSION, JSON.parse(text).version)
})
