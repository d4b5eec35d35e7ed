/** What KV holds of a deployment with RESIDENCY strict, and what is answered when it was tampered with. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sha256Hex } from '../../src/sealing/digest.ts'
import { askGateway, onlyEvent, serveEcho, startAcme } from '../support/acme.ts'
import { createKey, createServer, listedNames } from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { untilTold } from '../support/gateway.ts'
import { namespaceOf, readContents, sealedBy, type Stored } from '../support/kv-contents.ts'
import { legacy, LIST } from '../support/messages.ts'
import { restart } from '../support/objects.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { forgetWhenPublished, inDatabase } from '../support/storage.ts'

const ORGANIZATION = 'frankfurt-bank'
const RECORDS = 'https://records.example.com/v1/patients'

/** Two servers with a revision each, a slug, three keys, two principals and a gateway. */
const ASKED_FOR = 11

/** A clinic's server, and a bank with a gateway, a member with an account, and an agent. */
async function fill(rollcall: Rollcall, echo: string) {
  const read = tool('read_record', {
    description: 'Reads what is written of a patient',
    handler: { kind: 'http', method: 'GET', url: RECORDS },
  })
  const file = serverFile('Records of the clinic', [read, tool('admit')], {
    slug: 'clinic-mumbai',
    vanity: true,
    auth: 'key',
  })
  const clinic = await createServer(rollcall, file)
  const open = await createServer(rollcall, serverFile('Open hours', [tool('opening_hours')]))
  const key = await createKey(rollcall, clinic.id, { tools: ['read_record'] })
  const acme = await startAcme(rollcall, echo, ORGANIZATION)
  const member = await acme.person('member')
  const agent = await acme.person('agent')
  const account = await acme.account('notion', 'savings', { to: { agent: agent.id } })
  await acme.admin('POST', '/grants', { account, to: { member: member.id } })
  for (const organization of ['org_default', acme.organization])
    await untilTold(rollcall, organization)
  return { clinic, open, key, acme, member, agent, account }
}

type Filled = Awaited<ReturnType<typeof fill>>

/** What a plain deployment publishes of it. */
const published = ({ clinic, open, key, acme, member, agent, account }: Filled, echo: string) => [
  'read_record',
  'Reads what is written of a patient',
  'opening_hours',
  'create_page',
  'The tool create_page',
  RECORDS,
  echo,
  'clinic-mumbai',
  'notion',
  'Records of the clinic',
  clinic.id,
  open.id,
  acme.servers.notion,
  acme.organization,
  member.id,
  agent.id,
  account,
  key.id,
  member.keyId,
  sha256Hex(key.secret),
  sha256Hex(member.key),
  'principal',
  'inputSchema',
]

/** What no deployment does. */
const unpublished = ({ key, member }: Filled) => [
  ORGANIZATION,
  'savings',
  'token-of-savings',
  'A member',
  key.secret,
  member.key,
]

/** A text as it may stand somewhere: in the clear, in hex, and in base64 at any of three places. */
function formsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text)
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // Without the characters that what stands before or after has a part in.
    const end = Math.floor(((offset + bytes.length) * 8) / 6)
    return encoded.slice(Math.ceil((offset * 8) / 6), end)
  })
  const hex = bytes.toString('hex')
  const texts = [text, hex, hex.toUpperCase(), ...inBase64]
  return [...texts, ...inBase64.map(inUrls)].map((form) => Buffer.from(form))
}

const inUrls = (base64: string) => base64.replaceAll('+', '-').replaceAll('/', '_')

const found = (contents: readonly Stored[], texts: readonly string[]): string[] => {
  const all = contents.map(({ name, bytes, metadata }) =>
    Buffer.concat([Buffer.from(`${name}\n${JSON.stringify(metadata)}\n`), bytes]),
  )
  return texts.filter((text) => formsOf(text).some((form) => all.some((one) => one.includes(form))))
}

describe('What KV holds', () => {
  let echo: Awaited<ReturnType<typeof serveEcho>>
  let rollcall: Rollcall | undefined
  before(async () => {
    echo = await serveEcho()
  })
  after(() => echo.close())

  for (const residency of ['', 'strict']) {
    const title =
      residency === 'strict'
        ? 'tells nothing in the clear where residency is strict'
        : 'is a readable copy where it is not, without names, aliases and secrets'
    it(title, async () => {
      const vars = { RESIDENCY: residency, ALLOW_PRIVATE_UPSTREAMS: '1' }
      rollcall = await startRollcall({ vars })
      try {
        const filled = await fill(rollcall, echo.url)
        const contents = await readContents(rollcall)
        assert.ok(contents.length > 15, String(contents.length))
        const texts = published(filled, echo.url)
        assert.deepEqual(found(contents, unpublished(filled)), [])
        assert.deepEqual(found(contents, texts), residency === 'strict' ? [] : texts)
        if (residency !== 'strict') return
        for (const one of contents) {
          assert.match(one.name, /^[0-9a-f]{64}$/)
          assert.equal(sealedBy(one), 'k1')
          assert.match(JSON.stringify(one.metadata ?? null), /^(?:null|{"tag":"[0-9a-f]{64}"})$/)
        }
      } finally {
        await rollcall.close()
      }
    })
  }

  it('would be found in base64 and hex, wherever it stands', () => {
    for (const start of ['', 'a', 'ab', 'abc']) {
      const text = `${start}clinic-mumbai and more`
      for (const encoding of ['base64', 'base64url', 'hex', 'utf8'] as const) {
        const bytes = new TextEncoder().encode(Buffer.from(text).toString(encoding))
        const contents = [{ name: '', bytes: bytes as Uint8Array<ArrayBuffer>, metadata: null }]
        assert.deepEqual(found(contents, ['clinic-mumbai', 'clinic-berlin']), ['clinic-mumbai'])
      }
    }
  })
})

describe('A strict deployment whose KV was tampered with', () => {
  let echo: Awaited<ReturnType<typeof serveEcho>>
  let rollcall: Rollcall
  let filled: Filled
  before(async () => {
    echo = await serveEcho()
    rollcall = await startRollcall({ vars: { RESIDENCY: 'strict', ALLOW_PRIVATE_UPSTREAMS: '1' } })
    filled = await fill(rollcall, echo.url)
  })
  after(async () => {
    await rollcall.close()
    await echo.close()
  })

  /** What every kind of value is read for: servers, a slug, a key, a member and a gateway. */
  async function answersRight() {
    const { clinic, open, key, member, agent } = filled
    assert.deepEqual(await listedNames(rollcall, clinic.endpoint, key.secret), ['read_record'])
    assert.deepEqual(await listedNames(rollcall, '/mcp/clinic-mumbai', key.secret), ['read_record'])
    assert.deepEqual(await listedNames(rollcall, open.endpoint), ['opening_hours'])
    const refused = await rollcall.post(clinic.endpoint, LIST)
    assert.equal(refused.status, 401)
    for (const person of [member, agent]) {
      const { result } = onlyEvent(await askGateway(rollcall, person.key, legacy('tools/list')))
      const names = result.tools.map(({ name }: { name: string }) => name)
      assert.deepEqual(
        names.filter((name: string) => !name.startsWith('manage__')),
        ['memory__search', 'notion__create_page', 'notion__search'],
      )
    }
  }

  /** Puts other values under the names that there are. */
  async function tamper(change: (stored: Stored, index: number, all: Stored[]) => Stored) {
    const namespace = await namespaceOf(rollcall)
    const all = await readContents(rollcall)
    for (const [index, one] of all.entries()) {
      const { bytes, metadata } = change(one, index, all)
      await namespace.put(one.name, bytes, { ...(metadata !== undefined && { metadata }) })
    }
    return readContents(rollcall)
  }

  const first = <T>(list: readonly T[]): T => {
    const [one] = list
    assert(one !== undefined)
    return one
  }
  const changes: [string, Parameters<typeof tamper>[0]][] = [
    ['every value was moved to another name', (_, index, all) => all[index + 1] ?? first(all)],
    ['every value lost a byte', (one) => ({ ...one, bytes: one.bytes.slice(0, -1) })],
    ['every value is one in the clear', (one) => ({ ...one, bytes: Buffer.from('{}') })],
    [
      'a value was moved with what stands beside another',
      (one, index, all) => ({ ...(all[index + 1] ?? first(all)), metadata: one.metadata }),
    ],
  ]
  for (const [what, change] of changes) {
    it(`answers as before when ${what}, and publishes what was asked for anew`, async () => {
      await answersRight()
      const tampered = await tamper(change)
      // As if it was long ago that they were put: a value is put again once in two minutes.
      await forgetWhenPublished(rollcall)
      await inDatabase(rollcall, 'UPDATE publications SET put_at = 0', filled.acme.organization)
      await restart(rollcall) // nothing is remembered
      await answersRight()
      await eventually(
        async () => (await readContents(rollcall)).filter((one) => !tampered.some(is(one))).length,
        (mended) => mended === ASKED_FOR,
      )
      await restart(rollcall)
      await answersRight()
    })
  }
})

const is = (one: Stored) => (other: Stored) =>
  one.name === other.name && Buffer.compare(one.bytes, other.bytes) === 0
