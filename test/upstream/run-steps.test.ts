import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Step } from '../../src/handlers/steps.ts'
import { runSteps, type Notification, type RunOptions } from '../../src/upstream/run-steps.ts'
import { takeTimers } from '../support/clock.ts'

const STEPS: Step[] = [
  { progress: { progress: 1, total: 2 } },
  { log: { level: 'debug', data: { a: 1 } } },
  { waitMs: 1000 },
  { log: { level: 'error', logger: 'x', data: 'late' } },
  { progress: { progress: 2, total: 2, message: 'done' } },
]

/** Runs the steps and notes what is sent. */
function run(options: Partial<RunOptions> = {}) {
  const sent: Notification[] = []
  const running = runSteps(STEPS, {
    progressToken: undefined,
    logLevel: undefined,
    signal: new AbortController().signal,
    notify: (notification) => sent.push(notification),
    ...options,
  })
  const methods = () => sent.map(({ method }) => method.replace('notifications/', ''))
  return { sent, methods, running }
}

describe('runSteps', () => {
  it('§9.2 #57: sends progress under the client’s token, in order, before and after a wait', async (t) => {
    const timers = takeTimers(t)
    const { sent, running } = run({ progressToken: 0 })
    assert.equal(sent.length, 1)
    await timers.pass(1000)
    await running
    assert.deepEqual(sent, [
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 0, progress: 1, total: 2 },
      },
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 0, progress: 2, total: 2, message: 'done' },
      },
    ])
  })

  it('§9.2 #40: sends logs at the wanted level and above', async (t) => {
    const timers = takeTimers(t)
    const { sent, running } = run({ logLevel: 'warning' })
    await timers.pass(1000)
    await running
    const params = { level: 'error', logger: 'x', data: 'late' }
    assert.deepEqual(sent, [{ jsonrpc: '2.0', method: 'notifications/message', params }])
  })

  it('§9.2 #40, #57: sends nothing that was not asked for, and waits all the same', async (t) => {
    const timers = takeTimers(t)
    const { methods, running } = run()
    let isOver = false
    void running.then(() => (isOver = true))
    await timers.pass(900)
    assert.equal(isOver, false)
    await timers.pass(100)
    assert.equal(isOver, true)
    assert.deepEqual(methods(), [])
  })

  it('§9.2 #41: ends the wait and sends nothing more when the call is cancelled', async (t) => {
    takeTimers(t)
    const controller = new AbortController()
    const { methods, running } = run({
      progressToken: 'p',
      logLevel: 'debug',
      signal: controller.signal,
    })
    controller.abort()
    await running
    assert.deepEqual(methods(), ['progress', 'message'])
  })

  it('does nothing for a call that was cancelled before', async () => {
    const { methods, running } = run({ progressToken: 'p', signal: AbortSignal.abort() })
    await running
    assert.deepEqual(methods(), [])
  })
})
