/** What each call leaves in the call log. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Exchange } from '../../src/methods/exchange.ts'
import type { CallEntry } from '../../src/methods/call-entry.ts'
import { finish } from '../../src/methods/finish.ts'
import type { Work } from '../../src/methods/prepared.ts'
import { toolsCall } from '../../src/methods/tools-call.ts'
import { NEWEST_LEGACY } from '../../src/protocol/revisions.ts'
import { catalogOf } from '../support/catalogs.ts'
import { exchangeOf, modernExchangeOf, WORLD } from '../support/exchanges.ts'
import { serverFile, tool } from '../support/servers.ts'

const SUBJECT = { organization: 'org_a', server: '0123456789abcdef', tool: 'a', caller: 'key_1' }
const said = (text: string, members: object = {}) => ({
  content: [{ type: 'text' as const, text }],
  ...members,
})

/** Runs a static result, and gives the one entry that leaves. */
async function entryOf(result: ReturnType<typeof said>, signal = new AbortController().signal) {
  const entries: CallEntry[] = []
  const work: Work = { kind: 'static', steps: [{ waitMs: 1 }], result }
  await finish(
    { subject: SUBJECT, work },
    {
      revision: NEWEST_LEGACY,
      world: WORLD,
      note: (entry) => entries.push(entry),
      progressToken: undefined,
      logLevel: undefined,
      signal,
      notify: () => {},
      declared: {},
      waitUntil: () => {},
    },
  )
  assert.equal(entries.length, 1)
  return entries[0]
}

describe('The entry of a call', () => {
  it('says what was called by whom, how long it took and how much came', async () => {
    const entry = await entryOf(said('é'))
    const { at, ms, ...rest } = entry ?? { at: 0, ms: -1 }
    assert.ok(Math.abs(Date.now() - at) < 10_000 && ms >= 0)
    const bytes = Buffer.byteLength(JSON.stringify(said('é')))
    assert.deepEqual(rest, { ...SUBJECT, outcome: 'ok', status: undefined, bytes })
  })

  it('has the first 300 characters of what went wrong, on one line', async () => {
    const text = `bad\r\n\u0000thing ${'😀'.repeat(300)}`
    const entry = await entryOf(said(text, { isError: true }))
    assert.equal(entry?.outcome, 'error')
    assert.match(entry?.problem ?? '', /^bad thing 😀/)
    assert.ok((entry?.problem?.length ?? 0) <= 300)
    assert.ok(entry?.problem?.isWellFormed())
  })

  it('is of a cancelled call where the client has left', async () => {
    const entry = await entryOf(said('late', { isError: true }), AbortSignal.abort())
    assert.equal(entry?.outcome, 'cancelled')
    assert.equal(entry?.problem, undefined)
  })
})

describe('What tools/call notes', () => {
  const catalog = catalogOf(
    serverFile('One', [
      tool('a'),
      tool('needy', { requires: { sampling: {} } }),
      tool('paused', { status: 'paused' }),
    ]),
  )
  const noted = async (exchange: Exchange) => {
    const entries: CallEntry[] = []
    const note = (entry: CallEntry) => void entries.push(entry)
    try {
      await toolsCall({ ...exchange, note })
    } catch {
      // what it notes is looked at
    }
    return entries.map(({ tool: name, outcome, problem }) => [name, outcome, problem])
  }

  it('has a call that is refused after its tool was found, and none of a tool that was not', async () => {
    const [needy] = await noted(modernExchangeOf(catalog, { params: { name: 'needy' } }))
    assert.deepEqual(needy?.slice(0, 2), ['needy', 'error'])
    for (const name of ['paused', 'none', '']) {
      assert.deepEqual(await noted(exchangeOf(catalog, { params: { name } })), [])
    }
  })

  it('has a call that is to be retried, where the tool is known', async () => {
    const verified = async () => undefined
    const [entry] = await noted(exchangeOf(catalog, { params: { name: 'a' }, verified }))
    assert.deepEqual(entry?.slice(0, 2), ['a', 'error'])
    assert.match(String(entry?.[2]), /could not be checked/)
    assert.deepEqual(await noted(exchangeOf(catalog, { params: { name: 'none' }, verified })), [])
  })

  it('says nothing of the text of our own faults', async () => {
    const session = { capabilities: () => Promise.reject(new Error('hunter2')) }
    const entries = await noted(exchangeOf(catalog, { params: { name: 'needy' }, session }))
    assert.deepEqual(entries, [['needy', 'error', 'Internal error']])
  })
})
