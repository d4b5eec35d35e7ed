/** A socket to a Channel, over which a stream that the Worker holds hears of changes. */
import type { Channel } from '../objects/channel.ts'
import { HttpError } from '../protocol/http-error.ts'
import type { Platform } from './platform.ts'

/**
 * For whom a socket is: streams are counted by `listener`, and all of a `party` together; it is closed
 * with its `caller`, a credential, with its principal, and with its session.
 */
export type SocketTags = {
  listener: string
  party: string
  caller: string
  principal?: string
  session?: string
}

/** A socket to a Channel; 429 with too many, undefined when what it is for is gone. */
export async function openSocket(
  channel: DurableObjectStub<Channel>,
  tags: SocketTags,
): Promise<WebSocket | undefined> {
  const query = new URLSearchParams(tags)
  const response = await channel.fetch(`https://channel/?${query.toString()}`, {
    headers: { upgrade: 'websocket' },
  })
  if (response.status === 429) {
    throw new HttpError(429, 'too_many_streams', 'Too many streams are open', {
      headers: { 'Retry-After': '60' },
    })
  }
  return response.webSocket ?? undefined
}

/** How often a stream shows that it lives, and when it ends: with its credential at the latest. */
export function timingOf(
  { settings: { STREAM_KEEPALIVE_SECONDS, STREAM_MAX_AGE_SECONDS } }: Platform,
  { expiresAtMs }: { expiresAtMs: number },
): { keepaliveMs: number; maxAgeMs: number } {
  return {
    keepaliveMs: STREAM_KEEPALIVE_SECONDS * 1000,
    maxAgeMs: Math.min(STREAM_MAX_AGE_SECONDS * 1000, expiresAtMs - Date.now()),
  }
}
