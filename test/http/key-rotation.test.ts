/** Rotating SEAL_KEYS of a strict deployment under load: no read is lost, and no list is older. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { askGateway, onlyEvent } from '../support/acme.ts'
import {
  createKey,
  createOrganization,
  createServer,
  inOrganization,
  listedNames,
} from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { make, untilTold } from '../support/gateway.ts'
import { readContents, sealedBy } from '../support/kv-contents.ts'
import { legacy } from '../support/messages.ts'
import { startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { forgetWhenPublished } from '../support/storage.ts'

const OLD = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const NEW = `k2:${Buffer.alloc(32, 2).toString('base64')}`
const CLIENTS = 2 // of each kind
const READS = 10 // of each client before and after
const REVISIONS = 3
const IDLE = 'idle-organization'
const PAUSE_MS = 20

/** A read that a client goes on with, and the version it shows. */
type Read = () => Promise<number>

describe('Rotating SEAL_KEYS', () => {
  let rollcall: Rollcall
  let reads: Read[]
  let pageOf: (cursor?: string) => Promise<Answer>
  /** The server that changes. */
  let id = ''

  before(async () => {
    rollcall = await startRollcall({
      vars: { RESIDENCY: 'strict' },
      secrets: { SEAL_KEYS: OLD },
    })
    const file = (version: number, members: object = {}) =>
      serverFile('Rotated', [tool(`v${version}`), tool('b'), tool('c')], {
        gateway: 'rotated',
        slug: 'rotated',
        vanity: true,
        ...members,
      })
    const changing = await createServer(rollcall, file(1))
    id = changing.id
    for (let version = 2; version <= REVISIONS; version++) {
      await untilTold(rollcall)
      await forgetWhenPublished(rollcall)
      const put = await rollcall.admin('PUT', `/servers/${id}`, file(version))
      assert.equal(put.status, 200, put.text)
    }
    const paged = await createServer(
      rollcall,
      serverFile('Paged', [tool('v1'), tool('b'), tool('c')], { pageSize: 2 }),
    )
    const locked = await createServer(rollcall, serverFile('Locked', [tool('v1')], { auth: 'key' }))
    const { secret } = await createKey(rollcall, locked.id)
    const member = await make(rollcall, '/keys', { name: 'm', kind: 'member', role: 'member' })
    const inIdle = inOrganization(IDLE)
    const { id: idleId } = await createOrganization(rollcall, IDLE)
    const idle = await createServer(rollcall, serverFile('Idle', [tool('v1')]), inIdle)
    const agent = await make(rollcall, '/keys', { name: 'idle', kind: 'agent' }, inIdle)
    for (const organization of ['org_default', idleId]) await untilTold(rollcall, organization)
    const gateway = (key: string) => async () =>
      versionOf(onlyEvent(await askGateway(rollcall, key, legacy('tools/list'))).result.tools)
    const hosted = (path: string, key?: string) => async () =>
      versionOf((await listedNames(rollcall, path, key)).map((name: string) => ({ name })))
    reads = [
      hosted(changing.endpoint),
      hosted('/mcp/rotated'),
      hosted(locked.endpoint, secret),
      gateway(member.secret),
      hosted(idle.endpoint),
      async () => {
        const { status, text } = await askGateway(rollcall, agent.secret, legacy('tools/list'))
        assert.equal(status, 200, text)
        return 1
      },
    ]
    pageOf = (cursor) =>
      rollcall.post(paged.endpoint, legacy('tools/list', cursor === undefined ? {} : { cursor }))
  })
  after(() => rollcall.close())

  /** A Worker with these keys takes over what the one before has stored. */
  async function takeOver(keys: string) {
    await rollcall.harness.update(({ root, workers: [worker, ...others] }) => {
      if (worker === undefined || !('secrets' in worker)) throw new Error('no Worker')
      const secrets = { ...worker.secrets, SEAL_KEYS: keys }
      return { root, workers: [{ ...worker, secrets }, ...others] }
    })
    assert.equal((await rollcall.harness.listen()).url.origin, rollcall.url)
  }

  /** Clients that read as fast as they are answered before, while and after something is done. */
  async function underLoad(work: () => Promise<void>) {
    const load = { isOver: false }
    const counts = Array.from({ length: CLIENTS * reads.length }, () => 0)
    const clients = counts.map(async (_, client) => {
      const read = reads[client % reads.length]
      for (let newest = 0; !load.isOver; counts[client] = (counts[client] ?? 0) + 1) {
        assert(read !== undefined)
        const version = await connected(read)
        assert.ok(version >= newest, `a list of v${version} after one of v${newest}`)
        newest = version
      }
    })
    const haveRead = async () => {
      const counted = [...counts]
      const done = () => counts.every((count, client) => count >= (counted[client] ?? 0) + READS)
      await eventually(async () => done(), Boolean)
    }
    const whole = async () => {
      await haveRead()
      await work()
      await haveRead()
    }
    await Promise.all([...clients, whole().finally(() => (load.isOver = true))])
  }

  it('loses no read while the old key is there, and seals all anew that is in use', async () => {
    const { nextCursor } = (await pageOf()).json.result
    await underLoad(async () => {
      await takeOver(`${NEW},${OLD}`)
      const { json } = await pageOf(nextCursor)
      assert.deepEqual(
        json.result?.tools.map(({ name }: { name: string }) => name),
        ['c'],
        JSON.stringify(json),
      )
      const taken = await readContents(rollcall)
      assert.equal(taken.filter((one) => sealedBy(one) === 'k1').length, taken.length)
      // Reads alone wake no organization: one that is used seals anew what is its own.
      await rollcall.admin('GET', '/servers')
      const idle = 5 // a server and its revision, a key, an agent, a gateway
      await eventually(
        async () => (await readContents(rollcall)).filter((one) => sealedBy(one) === 'k1').length,
        (old) => old === idle,
      )
      const list = await rollcall.admin('GET', `/servers/${id}/revisions`)
      assert.equal(list.json.items.length, REVISIONS)
    })
  })

  it('loses none once the old key is gone, not even of an organization that was idle', async () => {
    await underLoad(async () => {
      await takeOver(NEW)
      await eventually(
        async () => (await readContents(rollcall)).map(sealedBy),
        (keys) => keys.every((key) => key === 'k2'),
      )
    })
    const names = (await readContents(rollcall)).length
    assert.ok(names > REVISIONS + 10, String(names))
    await takeOver(NEW)
    for (const read of reads) await read()
  })
})

/** Waits out that nobody listens: the runtime itself stops and starts, which no deployment does. */
async function connected<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await sleep(PAUSE_MS)
    }
  }
}

function versionOf(tools: readonly { name: string }[]): number {
  const version = tools.map(({ name }) => /(?:^|__)v(\d+)$/.exec(name)?.[1]).find(Boolean)
  assert.ok(version !== undefined, JSON.stringify(tools))
  return Number(version)
}
