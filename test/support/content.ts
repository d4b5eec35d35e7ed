import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'

type Client = { onerror?: ((error: Error) => void) | undefined; close(): Promise<void> }

/** Closes a client after its test, which fails when the client complained; answers with its complaints. */
export function keepContent(t: TestContext, client: Client): Error[] {
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error) // oxlint-disable-line unicorn/prefer-add-event-listener -- it has no other
  t.after(async () => {
    const complaints = [...errors] // closing makes more
    await client.close()
    assert.deepEqual(complaints, [])
  })
  return errors
}
