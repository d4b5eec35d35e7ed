/** What clients get while KV lags or fails (`design.md` §2), played by a KV that can. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serverKey } from '../../src/catalog/kv.ts'
import { formatTombstone } from '../../src/catalog/published.ts'
import { Settings } from '../../src/env.ts'
import { hosted } from '../../src/surfaces/hosted/endpoint.ts'
import { createPlatform, learnRevision, type Platform } from '../../src/surfaces/platform.ts'
import { ORGANIZATION, publishedBytes, SERVER_ID } from '../support/catalogs.ts'
import { LIST } from '../support/messages.ts'
import { OPERATOR_TOKEN, SEAL_KEYS } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const REVISION_1 = publishedBytes(serverFile('One', [tool('old')]), 1)
const REVISION_2 = publishedBytes(serverFile('One', [tool('new')]), 2)

/** An edge whose KV, Directory and Organization do as they are told. */
class Edge {
  reads = 0
  asked = 0
  kv: 'works' | 'fails' = 'works'
  objects: 'work' | 'fail' = 'work'
  readonly values = new Map<string, { bytes: Uint8Array<ArrayBuffer>; revision: number }>()
  truth: Uint8Array<ArrayBuffer> | undefined
  readonly platform: Platform

  constructor() {
    const owner = { owner: ORGANIZATION, target: SERVER_ID }
    const answer = <T>(value: T) => {
      this.asked++
      if (this.objects === 'fail') throw new Error('the objects are away')
      return value
    }
    const env = {
      SEAL_KEYS,
      CATALOG: {
        getWithMetadata: async (key: string) => {
          this.reads++
          if (this.kv === 'fails') throw new Error('KV is away')
          const found = this.values.get(key)
          const metadata = found && { organization: ORGANIZATION, revision: found.revision }
          return {
            value: found ? new Blob([found.bytes]).stream() : null,
            metadata: metadata ?? null,
          }
        },
      },
      LIMITER: { limit: async () => ({ success: true }) },
      DIRECTORY: { getByName: () => ({ find: async () => answer(this.truth && owner) }) },
      ORGANIZATION: { getByName: () => ({ published: async () => answer(this.truth) }) },
    }
    const settings = Settings.parse({ OPERATOR_TOKEN, SEAL_KEYS })
    this.platform = createPlatform(env as never, settings)
  }

  put(bytes: Uint8Array<ArrayBuffer>, revision: number): void {
    this.values.set(serverKey(SERVER_ID), { bytes, revision })
  }

  async list(id = SERVER_ID) {
    const url = `https://mcp.example.com/mcp/one/${id}`
    const headers = { 'content-type': 'application/json' }
    const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(LIST) })
    const visit = { request, waitUntil: () => {}, address: '127.0.0.1' }
    const response = await hosted(this.platform, visit, { slug: 'one', id })
    return { response, text: await response.text() }
  }
}

describe('A list while KV misbehaves', () => {
  it('comes from memory for five seconds, from one read for a hundred first requests', async () => {
    const edge = new Edge()
    edge.put(REVISION_1, 1)
    const answers = await Promise.all(Array.from({ length: 100 }, () => edge.list()))
    assert.ok(answers.every(({ text }) => text.includes('"old"')))
    assert.equal(edge.reads, 1)
  })

  it('is the last good one with its age when KV fails, and never empty by mistake', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    const edge = new Edge()
    edge.put(REVISION_1, 1)
    assert.equal((await edge.list()).response.headers.get('age'), null)
    edge.kv = 'fails'
    edge.objects = 'fail'
    context.mock.timers.setTime(1_000_000 + 42_000)
    const { response, text } = await edge.list()
    assert.deepEqual([response.status, response.headers.get('age')], [200, '42'])
    assert.match(text, /"old"/)
  })

  it('is 503 with Retry-After where there is no copy and nobody to ask', async () => {
    const edge = new Edge()
    edge.kv = 'fails'
    edge.objects = 'fail'
    const { response } = await edge.list()
    assert.equal(response.status, 503)
    assert.ok(Number(response.headers.get('retry-after')) > 0)
  })

  it('comes from the organization where KV fails or has not heard of the server yet', async () => {
    for (const kv of ['fails', 'works'] as const) {
      const edge = new Edge()
      edge.kv = kv
      edge.truth = REVISION_1
      assert.match((await edge.list()).text, /"old"/)
    }
  })

  it('asks about an unknown id once in ten seconds', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    const edge = new Edge()
    for (let n = 0; n < 3; n++) assert.equal((await edge.list()).response.status, 404)
    assert.deepEqual([edge.reads, edge.asked], [1, 1])
    context.mock.timers.setTime(1_000_000 + 10_001)
    assert.equal((await edge.list()).response.status, 404)
    assert.deepEqual([edge.reads, edge.asked], [2, 2])
  })

  it('never goes back to an older revision that a lagging KV still has', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
    const edge = new Edge()
    edge.put(REVISION_2, 2)
    assert.match((await edge.list()).text, /"new"/)
    edge.put(REVISION_1, 1)
    context.mock.timers.setTime(1_000_000 + 60_000)
    assert.match((await edge.list()).text, /"new"/)
  })

  it('asks the organization where KV is behind a revision this isolate knows of', async () => {
    const edge = new Edge()
    edge.put(REVISION_1, 1)
    edge.truth = REVISION_2
    assert.match((await edge.list()).text, /"old"/)
    learnRevision(edge.platform, { id: SERVER_ID, organization: ORGANIZATION, revision: 2 })
    assert.match((await edge.list()).text, /"new"/)
    assert.match((await edge.list()).text, /"new"/)
    assert.equal(edge.asked, 2) // the Directory and the organization, once
  })

  it('is 404 for a tombstone, without asking anybody', async () => {
    const edge = new Edge()
    edge.put(formatTombstone({ organization: ORGANIZATION, id: SERVER_ID, revision: 3 }), 3)
    assert.equal((await edge.list()).response.status, 404)
    assert.equal(edge.asked, 0)
  })

  it('takes a value that is garbled for a failure, and asks the organization', async () => {
    const edge = new Edge()
    edge.put(new TextEncoder().encode('{"format":1}\n') as Uint8Array<ArrayBuffer>, 1)
    edge.truth = REVISION_2
    assert.match((await edge.list()).text, /"new"/)
  })
})
