/**
 * The calls under way in a session, and what they ask of its client meanwhile. A question goes out on
 * the call's own stream under an id of ours; its answer comes in a POST of its own (`mcp-protocol.md`
 * §3.3). Nothing here outlives the object: a call that was reset with it is answered as lost.
 */
import { isObject, type RequestId, type Response } from '../../protocol/json-rpc.ts'
import { AskRefused } from '../../upstream/run-steps.ts'

const MAX_ASKED = 100 // questions a session has open at once

export type Running = { id: RequestId; abort: AbortController }

type Waiting = { resolve: (result: unknown) => void; reject: (reason: Error) => void }

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

  /** Sends a request to the client and waits for its answer: `AskRefused` where that is an error. */
  ask(
    { abort: { signal } }: Running,
    send: (message: string) => void,
    method: string,
    params: unknown,
  ): Promise<unknown> {
    if (this.#asked.size >= MAX_ASKED) throw new AskRefused('too many questions are open')
    const id = crypto.randomUUID()
    const answered = new Promise<unknown>((resolve, reject) => {
      this.#asked.set(id, { resolve, reject })
      const cancelled = () => reject(new AskRefused('the call was cancelled'))
      signal.addEventListener('abort', cancelled, { once: true })
    })
    send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return answered.finally(() => this.#asked.delete(id))
  }

  /** Takes the client's answer to a question; one that nobody waits for is let go. */
  answer({ id, result, error }: Response): void {
    const waiting = this.#asked.get(id)
    if (waiting === undefined) return
    if (error === undefined) return waiting.resolve(result)
    const message = isObject(error) && typeof error['message'] === 'string' ? error['message'] : ''
    waiting.reject(new AskRefused(message.slice(0, 300)))
  }
}
