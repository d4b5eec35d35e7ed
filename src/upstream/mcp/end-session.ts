/** The end of a session that is of no use any more (`mcp-protocol.md` §3.2). */
import type { Connection } from './connection.ts'
import { startDeadline } from './deadline.ts'
import { headersFor } from './outgoing.ts'
import type { Post } from './post.ts'
import { send } from './send.ts'

const END_TIMEOUT_MS = 5_000

/** Gives the session up, where there is one; best effort: a server may keep it, or be gone. */
export async function endSession(post: Post, connection: Connection): Promise<void> {
  if (connection.era !== 'legacy' || connection.sessionId === undefined) return
  const deadline = startDeadline({ timeoutMs: END_TIMEOUT_MS })
  try {
    const headers = headersFor(connection)
    const response = await send(post, deadline, { method: 'DELETE', headers })
    await response.body?.cancel()
  } catch {
    // The remote server ends it when nobody uses it.
  } finally {
    deadline.end()
  }
}
