/**
 * A remote server's `requestState` on its way through us: sealed, for the one caller and request it
 * was made for, and for a short time (`mcp-protocol.md` §4.8). What comes back is attacker input until
 * it opens.
 */
import { INVALID_PARAMS, RpcError } from '../protocol/json-rpc.ts'
import { CannotOpen } from '../sealing/seal.ts'
import type { World } from '../upstream/world.ts'

const LIFE_MS = 30 * 60 * 1000 // a person may have to find a password
const PURPOSE = 'request-state'

type Place = readonly string[]

/** The state as the caller is given it. */
export function sealState(world: World, path: Place, state: string): Promise<string> {
  const text = JSON.stringify({ state, until: Date.now() + LIFE_MS })
  return world.seal({ purpose: PURPOSE, path }, text)
}

/** The remote server's own state, or −32602: tampered with, expired, or of another request. */
export async function openState(world: World, path: Place, sealed: unknown): Promise<string> {
  const refused = new RpcError(INVALID_PARAMS, 'Invalid params: requestState is not valid here')
  if (typeof sealed !== 'string') throw refused
  const text = await openOr(world, path, sealed, refused)
  const { state, until } = JSON.parse(text) as { state: string; until: number }
  if (until <= Date.now()) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: requestState has expired; start over')
  }
  return state
}

async function openOr(world: World, path: Place, sealed: string, refused: RpcError) {
  try {
    return await world.unseal({ purpose: PURPOSE, path }, sealed)
  } catch (error) {
    if (error instanceof CannotOpen) throw refused
    throw error
  }
}
