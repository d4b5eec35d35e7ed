import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Catalog } from '../../src/catalog/catalog.ts'
import { formatPublished } from '../../src/catalog/published.ts'
import { remoteItems } from '../../src/catalog/remote-items.ts'
import { parseServerFile } from '../../src/catalog/server-file.ts'
import { Snapshot, type PublishedUpstream } from '../../src/catalog/upstream.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { capabilitiesOf } from '../../src/methods/capabilities.ts'
import { ORGANIZATION, readPublished, SERVER_ID } from '../support/catalogs.ts'
import { remoteFile, remoteTool, snapshot } from '../support/remotes.ts'

const UPSTREAM: PublishedUpstream = {
  capabilities: { tools: {}, resources: { subscribe: true } },
  instructions: 'Theirs',
  era: 'modern',
  refreshedAt: 1000,
}

function catalogOf(upstream: PublishedUpstream | undefined, members: object = {}): Catalog {
  const { settings } = parseServerFile(remoteFile('Far', members))
  const raw = { tools: [JSON.stringify(remoteTool('a'))], prompts: [], resources: [] }
  const { items } = remoteItems({ ...raw, resourceTemplates: [] }, settings.overrides ?? {})
  const server = { organization: ORGANIZATION, id: SERVER_ID, revision: 1, settings, upstream }
  return new Catalog(readPublished(formatPublished(server, items)), new BoundedMap(1024))
}

describe('the published form of a remote server', () => {
  it('has what is known of the upstream, and reads back as it was', () => {
    assert.deepEqual(catalogOf(UPSTREAM).upstream, UPSTREAM)
    const down = { ...UPSTREAM, downSince: 2000 }
    assert.deepEqual(catalogOf(down).upstream, down)
    assert.equal(catalogOf(undefined).upstream, undefined)
  })

  it('has settings without overrides, which are in its items', () => {
    const { settings } = catalogOf(UPSTREAM, { overrides: { a: { title: 'A' } } })
    assert.equal(settings.overrides, undefined)
    assert.equal(settings.remote?.url, remoteFile('Far').remote.url)
  })

  it('offers what the upstream offers, whatever is listed', () => {
    const features = { tools: true, prompts: false, resources: true }
    const none = { logging: false, completions: false }
    assert.deepEqual(catalogOf(UPSTREAM).features, { ...features, ...none })
    const all = { tools: {}, prompts: {}, resources: {}, logging: {}, completions: {} }
    const { features: every } = catalogOf({ ...UPSTREAM, capabilities: all })
    assert.ok(Object.values(every).every(Boolean))
  })

  it('offers subscriptions where the upstream takes them', () => {
    const subscribe = (resources: { subscribe?: boolean }) => {
      const catalog = catalogOf({ ...UPSTREAM, capabilities: { resources } })
      return capabilitiesOf(catalog, 'legacy')['resources']
    }
    assert.deepEqual(subscribe({ subscribe: true }), { listChanged: true, subscribe: true })
    assert.deepEqual(subscribe({ subscribe: false }), { listChanged: true })
    assert.deepEqual(subscribe({}), { listChanged: true })
  })

  it("has the operator's instructions, else the upstream's", () => {
    assert.equal(catalogOf(UPSTREAM).instructions, 'Theirs')
    assert.equal(catalogOf(UPSTREAM, { instructions: 'Ours' }).instructions, 'Ours')
    assert.equal(catalogOf(undefined).instructions, undefined)
  })
})

describe('what was read of a remote server', () => {
  it('is bounded, and no mistake in one member spoils another', () => {
    const read = Snapshot.parse(
      snapshot([], {
        capabilities: { tools: true, prompts: { listChanged: 'x' }, resources: null, odd: {} },
        serverInfo: { name: 'x'.repeat(1000), version: 7, token: 'x' },
        instructions: 'x'.repeat(200_000),
        left: [{ name: 'x'.repeat(1000), reason: 'y' }],
      }),
    )
    assert.equal(JSON.stringify(read.capabilities), '{"prompts":{}}')
    assert.deepEqual(read.serverInfo, { name: 'x'.repeat(300), version: undefined })
    assert.equal(read.instructions?.length, 100_000)
    assert.equal(read.left[0]?.name.length, 300)
  })
})
