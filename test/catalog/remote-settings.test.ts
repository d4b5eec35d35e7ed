import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatServerFile, parseServerFile } from '../../src/catalog/server-file.ts'
import { hasHostedFace, patchSettings, type SettingsPatch } from '../../src/catalog/server.ts'
import { HttpError } from '../../src/protocol/http-error.ts'
import { serverFile, tool } from '../support/servers.ts'

const URL = 'https://mcp.example.com/mcp'
const SECRET = { type: 'bearer', token: { secret: 'token' } }

const parse = (members: object = {}) =>
  parseServerFile({ name: 'Far', kind: 'remote', remote: { url: URL }, ...members }).settings

function wrong(action: () => unknown): string[] {
  try {
    action()
  } catch (error) {
    assert.ok(error instanceof HttpError)
    assert.equal(error.status, 422)
    return error.details?.map(({ path }) => path) ?? []
  }
  throw new Error('nothing was wrong')
}

describe('the settings of a remote server', () => {
  it('fill in how it is spoken to, and are in its file without items', () => {
    const settings = parse()
    assert.deepEqual(settings.remote, {
      url: URL,
      transport: 'auto',
      auth: { type: 'none' },
      timeoutSeconds: 60,
      refreshSeconds: 600,
      watchLists: false,
      compression: true,
    })
    const file = JSON.parse(formatServerFile('a1b2c3d4e5f6a1b2', settings, []))
    assert.equal('tools' in file, false)
    assert.deepEqual(parseServerFile(file).settings, settings)
  })

  it('say nothing that is a default', () => {
    assert.deepEqual(
      parse({ hosted: false, overrides: { a: {}, b: { name: 'b', status: 'active' } } }),
      parse(),
    )
    const hosted = parseServerFile(serverFile('Near')).settings
    const said = { kind: 'hosted', hosted: true }
    assert.deepEqual(parseServerFile(serverFile('Near', [], said)).settings, hosted)
    assert.equal('kind' in hosted || 'hosted' in hosted, false)
  })

  it('have overrides in one order, as they are compared', () => {
    const [one, other] = [{ title: 'One' }, { title: 'Other' }]
    const settings = parse({ overrides: { b: other, a: one } })
    assert.deepEqual(Object.entries(settings.overrides ?? {}), [
      ['a', one],
      ['b', other],
    ])
  })

  it('decide whether clients find it', () => {
    assert.equal(hasHostedFace(parse()), false)
    assert.equal(hasHostedFace(parse({ hosted: true })), true)
    assert.equal(hasHostedFace(parseServerFile(serverFile('Near')).settings), true)
    const hidden = parseServerFile(serverFile('Near', [], { hosted: false })).settings
    assert.equal(hasHostedFace(hidden), false)
  })

  it('name what does not fit together', () => {
    const long = { description: 'x'.repeat(20_000) }
    const table: [members: object, paths: string[]][] = [
      [{ remote: undefined }, ['remote']],
      [{ kind: 'hosted' }, ['remote']],
      [{ kind: 'hosted', overrides: {} }, ['remote', 'overrides']],
      [{ kind: 'near' }, ['kind']],
      [{ remote: { url: 'ftp://x' } }, ['remote.url']],
      [{ remote: { url: 'https://user:word@example.com/' } }, ['remote.url']],
      [{ remote: { url: 'https://example.com/#x' } }, ['remote.url']],
      [{ tools: [tool('a')], prompts: [{}] }, ['tools', 'prompts']],
      [{ hosted: true, remote: { url: URL, auth: SECRET } }, ['auth']],
      [{ hosted: true, remote: { url: URL, headers: { X: { secret: 's' } } } }, ['auth']],
      [{ overrides: { a: { name: 'not valid' } } }, ['overrides.a.name']],
      [{ overrides: { a: { name: 'x' }, b: { name: 'x' } } }, ['overrides.b.name']],
      [{ overrides: { a: { inputSchema: {} } } }, ['overrides.a.inputSchema']],
      [{ overrides: { a: { sortOrder: 1_000_000 } } }, ['overrides.a.sortOrder']],
      [
        { overrides: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`t${n}`, long])) },
        ['overrides'],
      ],
    ]
    for (const [members, paths] of table)
      assert.deepEqual(
        wrong(() => parse(members)),
        paths,
      )
  })

  it('may be open where no secret is spent, and with one where keys open it', () => {
    assert.equal(parse({ hosted: true }).hosted, true)
    assert.equal(parse({ remote: { url: URL, auth: SECRET } }).auth, 'none')
    assert.equal(
      parse({ hosted: true, auth: 'key', remote: { url: URL, auth: SECRET } }).auth,
      'key',
    )
  })

  it('leave the keys of `_meta` that are the protocol’s to the protocol', () => {
    const withMeta = (name: string) => () => parse({ remote: { url: URL, meta: { [name]: 'x' } } })
    assert.deepEqual(withMeta('com.example/tenant')().remote?.meta, { 'com.example/tenant': 'x' })
    for (const name of ['progressToken', 'io.modelcontextprotocol/clientInfo']) {
      assert.deepEqual(wrong(withMeta(name)), [`remote.meta.${name}`])
    }
  })

  it('may be open with a tool that uses a secret where clients do not find it', () => {
    const handler = { kind: 'http', url: 'https://api.example.com/', auth: SECRET }
    const tools = [tool('spends', { handler })]
    const open = (hosted: boolean) => parseServerFile(serverFile('Near', tools, { hosted }))
    assert.deepEqual(
      wrong(() => open(true)),
      ['auth'],
    )
    assert.equal(open(false).settings.hosted, false)
  })

  it('keep their kind, whatever a patch says', () => {
    const near = parseServerFile(serverFile('Near')).settings
    const toRemote: SettingsPatch = { kind: 'remote', remote: { url: URL } }
    assert.deepEqual(
      wrong(() => patchSettings(near, toRemote)),
      ['kind'],
    )
    assert.deepEqual(
      wrong(() => patchSettings(parse(), { kind: 'hosted' })),
      ['kind'],
    )
    assert.deepEqual(
      wrong(() => patchSettings(parse(), { kind: null })),
      ['kind'],
    )
    assert.deepEqual(
      wrong(() => patchSettings(parse(), { remote: null })),
      ['remote'],
    )
    assert.equal(patchSettings(parse({ hosted: true }), { hosted: null }).hosted, undefined)
  })
})
