import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CannotOpen, open, seal } from '../../src/sealing/seal.ts'
import type { SealKey, SealKeys } from '../../src/sealing/seal-keys.ts'

const key = (id: string, fill: number): SealKey => ({ id, bytes: new Uint8Array(32).fill(fill) })
const OLD: SealKeys = [key('old', 1)]
const ROTATED: SealKeys = [key('new', 2), key('old', 1)]
const NEW: SealKeys = [key('new', 2)]
const PLACE = { purpose: 'secrets', path: ['org_1', 'secret', 'api-key'] }

describe('seal and open', () => {
  for (const plain of ['', 'x', 'pa.ss wörd', '👩‍👩‍👧\u2028\u0000', '\ufeffbom', 'x'.repeat(100_000)]) {
    it(`give ${JSON.stringify(plain.slice(0, 20))} of ${plain.length} characters back`, async () => {
      assert.equal(await open(OLD, PLACE, await seal(OLD, PLACE, plain)), plain)
    })
  }

  it('name the key and show nothing of the text', async () => {
    const sealed = await seal(ROTATED, PLACE, 'a secret that is long')
    assert.match(sealed, /^v1\.new\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/)
    assert.ok(!Buffer.from(sealed.split('.')[3] ?? '', 'base64url').includes('secret'))
  })

  it('make another text of the same secret each time', async () => {
    assert.notEqual(await seal(OLD, PLACE, 'x'), await seal(OLD, PLACE, 'x'))
  })

  const elsewhere: [string, typeof PLACE][] = [
    ['another organization', { ...PLACE, path: ['org_2', 'secret', 'api-key'] }],
    ['another field', { ...PLACE, path: ['org_1', 'secret', 'other'] }],
    ['parts that join to the same text', { ...PLACE, path: ['org_1', 'secret/api-key'] }],
    ['a shorter path', { ...PLACE, path: ['org_1', 'secret'] }],
    ['another purpose', { ...PLACE, purpose: 'state' }],
    ['its purpose moved into the path', { purpose: 'x', path: ['secrets', ...PLACE.path] }],
  ]
  for (const [what, place] of elsewhere) {
    it(`do not open in ${what}`, async () => {
      await assert.rejects(open(OLD, place, await seal(OLD, PLACE, 'x')), CannotOpen)
    })
  }

  const spoilt: [string, (parts: string[]) => string[]][] = [
    ['another version', ([, ...rest]) => ['v2', ...rest]],
    ['no version', ([, ...rest]) => rest],
    ['another key’s id', ([version, , ...rest]) => [version ?? '', 'new', ...rest]],
    ['an empty iv', ([version, id, , text]) => [version ?? '', id ?? '', '', text ?? '']],
    ['a changed iv', ([version, id, iv, text]) => [version ?? '', id ?? '', flip(iv), text ?? '']],
    [
      'a changed text',
      ([version, id, iv, text]) => [version ?? '', id ?? '', iv ?? '', flip(text)],
    ],
    [
      'a shortened text',
      ([version, id, iv, text = '']) => [version ?? '', id ?? '', iv ?? '', text.slice(0, -4)],
    ],
    ['no text', ([version, id, iv]) => [version ?? '', id ?? '', iv ?? '']],
    ['an empty text', ([version, id, iv]) => [version ?? '', id ?? '', iv ?? '', '']],
    ['a text that is no base64', ([version, id, iv]) => [version ?? '', id ?? '', iv ?? '', '!']],
    ['a part more', (parts) => [...parts, 'x']],
    ['nothing', () => []],
  ]
  for (const [what, spoil] of spoilt) {
    it(`do not open with ${what}`, async () => {
      const sealed = await seal(OLD, PLACE, 'x')
      await assert.rejects(open(ROTATED, PLACE, spoil(sealed.split('.')).join('.')), CannotOpen)
    })
  }

  it('open what the old key sealed once a new key stands first', async () => {
    assert.equal(await open(ROTATED, PLACE, await seal(OLD, PLACE, 'x')), 'x')
  })

  it('seal with the first key alone', async () => {
    assert.equal(await open(NEW, PLACE, await seal(ROTATED, PLACE, 'x')), 'x')
    await assert.rejects(open(OLD, PLACE, await seal(ROTATED, PLACE, 'x')), CannotOpen)
  })

  it('do not open once the key is gone', async () => {
    await assert.rejects(open(NEW, PLACE, await seal(OLD, PLACE, 'x')), CannotOpen)
  })

  it('do not open with another key of the same id', async () => {
    await assert.rejects(open([key('old', 9)], PLACE, await seal(OLD, PLACE, 'x')), CannotOpen)
  })
})

/** The base64url text with its first character changed, so with other bytes. */
function flip(text = ''): string {
  return (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
}
