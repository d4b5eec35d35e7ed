/**
 * The calls under way in a session, and what they ask of its client meanwhile. A question goes out on
 * the call's own stream under an id of ours; its answer comes in a POST of its own (`mcp-protocol.md`
 * §3.3). Nothing here outlives the object: a call that was reset with it is answered as lost.
 */
import { INTERNAL_ERROR, isObject, type RequestId, type Response } from '../../protocol/json-rpc.ts'
import { AskRefused, type Ask } from '../../upstream/run-steps.ts'

const MAX_ASKED = 100 // questions a session has open at once
const MAX_ANSWER_MS = 600_000 // a person may be at lunch, but not for ever

export type Running = { id: RequestId; abort: AbortController }

type Waiting = {
  resolve: (result: Record<string, unknown>) => void
  reject: (reason: Error) => void
}

export class Calls {
  readonly #running = new Set<Running>()
  readonly #asked = new Map<RequestId, Waiting>()

  get size(): number {
    return this.#running.size
  }

  /** Notes a call as under way until `end`. */
  begin(id: RequestId): Running {
    const running = { id, abort: new AbortController() }
    this.#running.add(running)
    return running
  }

  end(running: Running): void {
    this.#running.delete(running)
  }

  /** Cancels the call of a request id; of one that is not under way nothing happens. */
  cancel(id: unknown): void {
    for (const running of this.#running) if (running.id === id) running.abort.abort()
  }

  cancelAll(): void {
    for (const { abort } of this.#running) abort.abort()
  }

  /**
   * Sends a request to the client and waits for its answer: `AskRefused` where that is an error. A
   * question that nobody waits for any more is taken back.
   */
  async ask(
    send: (message: object) => void,
    ...[method, params, signal]: Parameters<Ask>
  ): ReturnType<Ask> {
    if (this.#asked.size >= MAX_ASKED) throw new AskRefused('too many questions are open')
    if (signal?.aborted) throw new AskRefused('the call was cancelled')
    const id = crypto.randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>()
    const takeBack = () => {
      const notice = { method: 'notifications/cancelled', params: { requestId: id } }
      send({ jsonrpc: '2.0', ...notice })
      reject(new AskRefused('its answer was not waited for any longer'))
    }
    const timer = setTimeout(takeBack, MAX_ANSWER_MS)
    signal?.addEventListener('abort', takeBack)
    this.#asked.set(id, { resolve, reject })
    try {
      send({ jsonrpc: '2.0', id, method, params })
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', takeBack)
      this.#asked.delete(id)
    }
  }

  /** Takes the client's answer to a question; one that nobody waits for is let go. */
  answer({ id, result, error }: Response): void {
    const waiting = this.#asked.get(id)
    if (error === undefined && isObject(result)) return waiting?.resolve(result)
    const { code, message } = isObject(error) ? error : {}
    waiting?.reject(
      new AskRefused(
        typeof message === 'string' ? message.slice(0, 300) : 'its answer is no result',
        Number.isSafeInteger(code) ? Number(code) : INTERNAL_ERROR,
      ),
    )
  }
}
