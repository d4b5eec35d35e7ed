import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  allDirectories,
  channelOf,
  directoryOf,
  findSession,
  newSession,
  objectName,
  organizationOf,
  surfaceChannelOf,
  upstreamOf,
} from '../../src/objects/resident.ts'

const KEY = Buffer.alloc(32, 7)
const EU = { REGION: 'eu', JURISDICTION: 'eu' }
const STRICT = { RESIDENCY: 'strict', NAME_KEY: KEY.toString('base64') }
const SESSION_ID = 'a'.repeat(64)

type Asked = { jurisdiction: string; how: string; hint: string | undefined }
type Options = { locationHint?: string }

/** Namespaces that note how they were asked. */
function asking(settings: Record<string, string>) {
  const asked: Asked[] = []
  const namespace = (jurisdiction: string) => {
    const note = (how: string, options: Options = {}) => {
      asked.push({ jurisdiction, how, hint: options.locationHint })
      return how
    }
    return {
      jurisdiction: namespace,
      getByName: (name: string, options?: Options) => note(name, options),
      get: (id: string, options?: Options) => note(`id ${id}`, options),
      newUniqueId: () => 'new',
      idFromString: (id: string) => `${jurisdiction} ${id}`,
    }
  }
  const [ORGANIZATION, DIRECTORY, SESSION, CHANNEL, UPSTREAM] = Array.from({ length: 5 }, () =>
    namespace(''),
  )
  const env = { ORGANIZATION, DIRECTORY, SESSION, CHANNEL, UPSTREAM, ...settings }
  return { env: env as never, asked }
}

/** Asks for an object of every kind. */
function askForAll(env: never): void {
  organizationOf(env, 'org_1')
  directoryOf(env, 'server', 'weather')
  channelOf(env, 'weather')
  surfaceChannelOf(env, 'org_1')
  upstreamOf(env, 'weather')
  newSession(env)
  findSession(env, SESSION_ID)
}

const NAMES = ['org_1', 'directory-6', 'server-weather', 'surface-org_1', 'remote-weather']
const hmac = (name: string) => createHmac('sha256', KEY).update(name).digest('hex')

describe('resident', () => {
  it('asks for every object as it is where there is no jurisdiction', () => {
    const { env, asked } = asking({})
    askForAll(env)
    const how = [...NAMES, 'id new', `id  ${SESSION_ID}`]
    assert.deepEqual(
      asked,
      how.map((one) => ({ jurisdiction: '', how: one, hint: undefined })),
    )
  })

  it('asks for every object through the jurisdiction, sessions minted and found there too', () => {
    const { env, asked } = asking(EU)
    askForAll(env)
    allDirectories(env)
    assert.equal(asked.length, 7 + 16)
    assert.deepEqual(new Set(asked.map(({ jurisdiction }) => jurisdiction)), new Set(['eu']))
    assert.equal(asked[6]?.how, `id eu ${SESSION_ID}`)
  })

  it('asks for every named object by the HMAC of its name where residency is strict', () => {
    const { env, asked } = asking({ ...EU, ...STRICT })
    askForAll(env)
    assert.deepEqual(
      asked.slice(0, NAMES.length).map(({ how }) => how),
      NAMES.map(hmac),
    )
    const before = asked.length
    allDirectories(env)
    assert.deepEqual(
      asked.slice(before).map(({ how }) => how),
      Array.from({ length: 16 }, (_, n) => hmac(`directory-${n.toString(16)}`)),
    )
    assert.deepEqual(new Set(asked.map(({ jurisdiction }) => jurisdiction)), new Set(['eu']))
  })

  it('gives the hint where an object may be made, and an organization its own', () => {
    const { env, asked } = asking({ REGION: 'in', LOCATION_HINT: 'apac' })
    askForAll(env)
    organizationOf(env, 'org_2', 'weur')
    const hints = asked.map(({ hint }) => hint)
    assert.deepEqual(hints, [...Array.from({ length: 6 }, () => 'apac'), undefined, 'weur'])
  })

  it('finds names that are the same up to a colon in one directory', () => {
    const { env, asked } = asking({})
    directoryOf(env, 'external', 'abc:org_1')
    directoryOf(env, 'external', 'abc:org_2')
    assert.equal(asked[0]?.how, asked[1]?.how)
  })

  it('remembers HMACs, and has the same with every binding of a deployment', () => {
    const settings = { ...STRICT }
    assert.equal(objectName(settings, 'a'), hmac('a'))
    assert.equal(objectName(settings, 'a'), hmac('a'))
    assert.equal(objectName({ ...STRICT }, 'a'), hmac('a'))
    assert.notEqual(objectName(settings, 'b'), hmac('a'))
  })

  it('lets the error of a jurisdiction through, whatever is asked for', () => {
    const refused = new TypeError('Jurisdiction restrictions are not implemented')
    const refusing = {
      jurisdiction() {
        throw refused
      },
    }
    const [ORGANIZATION, DIRECTORY, SESSION, CHANNEL, UPSTREAM] = Array.from(
      { length: 5 },
      () => refusing,
    )
    const env = { ORGANIZATION, DIRECTORY, SESSION, CHANNEL, UPSTREAM, ...EU } as never
    const asks = [
      () => organizationOf(env, 'org_1'),
      () => directoryOf(env, 'server', 'weather'),
      () => allDirectories(env),
      () => channelOf(env, 'weather'),
      () => surfaceChannelOf(env, 'org_1'),
      () => upstreamOf(env, 'weather'),
      () => newSession(env),
      () => findSession(env, SESSION_ID),
    ]
    for (const ask of asks) assert.throws(ask, refused)
  })

  it('knows no session by what is not an id of ours', () => {
    const SESSION = {
      idFromString() {
        throw new TypeError('Durable Object ID is not valid for this namespace.')
      },
    }
    assert.equal(findSession({ SESSION } as never, SESSION_ID), undefined)
  })

  it('asks for nothing where the settings promise what they do not name', () => {
    const wrong = {
      JURISDICTION: { REGION: 'eu' },
      NAME_KEY: { RESIDENCY: 'strict' },
      LOCATION_HINT: { LOCATION_HINT: 'moon' },
    }
    for (const [name, settings] of Object.entries(wrong)) {
      const { env, asked } = asking(settings)
      assert.throws(() => organizationOf(env, 'org_1'), new RegExp(name))
      assert.deepEqual(asked, [])
    }
  })
})
