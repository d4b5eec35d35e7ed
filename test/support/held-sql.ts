/** Held calls in an organization's database in plain Node, as its commands hold and decide them. */
import assert from 'node:assert/strict'
import {
  authorizeOrHold,
  beginHeld,
  decideHeld,
  finishHeld,
  waitForHeld,
} from '../../src/objects/organization/held-commands.ts'
import { patchSettings } from '../../src/objects/organization/settings-commands.ts'
import { SealKeys } from '../../src/sealing/seal-keys.ts'
import { createGateway, MEMORY, NOW } from './gateway-sql.ts'

export const WRITE = { actor: 'operator' }
export const MINUTE_MS = 60_000
export const DAY_MS = 24 * 60 * MINUTE_MS
export const key = (name: string, byte: number) =>
  `${name}:${Buffer.alloc(32, byte).toString('base64')}`
export const KEYS = SealKeys.parse(key('k1', 1))
export const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
export const parsed = (text: Uint8Array | undefined) => JSON.parse(new TextDecoder().decode(text))

/** An organization where every call asks, and the commands on calls of `mem_a`, at a clock that stands. */
export function setUpHeld() {
  const gateway = createGateway()
  const { sql, context } = gateway
  let now = NOW
  const at = () => ({ ...context, now })
  patchSettings(
    context,
    { features: { approvals: true }, approvals: { rules: [], default: 'ask' } },
    WRITE,
  )
  const who = { credential: 'mem_a', principal: 'mem_a' }
  return {
    ...gateway,
    at,
    pass: (ms: number) => {
      now += ms
    },
    /** Makes a call, and gives the id by which it is held, or why it is not. */
    hold: async (members: object = {}) => {
      const wanted = { server: MEMORY, tool: 'search', name: 'memory__search', args: bytes({}) }
      const call = { ...who, ...wanted, ...members }
      const held = await authorizeOrHold(at(), KEYS, call)
      if (typeof held === 'string') return held
      if ('refused' in held) return held.refused.code
      assert.ok('held' in held, 'it was not held')
      return held.held
    },
    wait: (id: string, principal = 'mem_a') => waitForHeld(at(), KEYS, principal, id),
    stateOf: async (id: string) => (await waitForHeld(at(), KEYS, 'mem_a', id))?.state,
    decide: (id: string, state: 'approved' | 'denied') => decideHeld(at(), id, state, WRITE),
    begin: (id: string, run = 'run_1', keys = KEYS) => beginHeld(at(), keys, { ...who, id, run }),
    finish: (id: string, result: object | undefined, run = 'run_1') =>
      finishHeld(at(), KEYS, { id, run, result: result && bytes(result) }),
    rows: () => sql.exec('SELECT * FROM held').toArray(),
  }
}
