/**
 * Answers to GET that may be given again, in the memory of this isolate (`surfaces.md` A30). The
 * name holds all that decides an answer, sealed secrets included; errors are never kept.
 */
import { BoundedMap } from '../../memory/bounded-map.ts'
import type { CallToolResult } from '../../protocol/tool.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { keyOf, type HttpCall } from './call.ts'

const CACHE_BYTES = 8 * 1024 * 1024

const cache = new BoundedMap<{ result: CallToolResult; endsAt: number }>(CACHE_BYTES)

/** The name an answer is kept by; undefined for a call whose answer is not. */
export function cacheKeyOf(call: HttpCall): string | undefined {
  const { method = 'GET', cacheSeconds = 0 } = call.handler
  if (method !== 'GET' || cacheSeconds === 0) return undefined
  const args = Object.entries(call.args).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `${keyOf(call)} ${sha256Hex(JSON.stringify([args, call.sealed, call.account]))}`
}

/** The answer that is kept by this name, where it is not too old. */
export function findCached(key: string, now = Date.now()): CallToolResult | undefined {
  const entry = cache.get(key)
  return entry !== undefined && entry.endsAt > now ? entry.result : undefined
}

/** Keeps an answer for as long as its tool says. */
export function keepCached(key: string, result: CallToolResult, seconds: number): void {
  const endsAt = Date.now() + seconds * 1000
  cache.set(key, { result, endsAt }, 2 * (key.length + JSON.stringify(result).length))
}
