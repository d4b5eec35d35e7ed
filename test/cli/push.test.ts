/** `npm run push` against a real Rollcall: what it says, what it applies, how it ends. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createOrganization, inOrganization } from '../support/admin.ts'
import { runProgram } from '../support/programs.ts'
import { ID, serverFile, setUpPushing, tool } from '../support/pushing.ts'
import { remoteFile } from '../support/remotes.ts'
import { OPERATOR_TOKEN } from '../support/rollcall.ts'

describe('npm run push', () => {
  const at = setUpPushing()
  const { save, push, exported } = at

  it('makes a new server under the id of its file, and finds it unchanged afterwards', async () => {
    await save('a.json', serverFile([tool('one'), tool('two', { status: 'paused' })]))
    const first = await push('a.json')
    assert.deepEqual(first, {
      code: 0,
      out: [
        `a.json: pushed (${ID}) is new`,
        '  + tool one',
        '  + tool two (paused)',
        `a.json: applied, revision 1 at /mcp/pushed/${ID}`,
        '',
      ].join('\n'),
      err: '',
    })
    assert.deepEqual(await push('a.json'), {
      code: 0,
      out: `a.json: pushed (${ID}) is unchanged\n`,
      err: '',
    })
  })

  it('says tool by tool what changes before it changes it, and a dry run only says it', async () => {
    await save('a.json', serverFile([tool('one'), tool('two'), tool('three'), tool('four')]))
    await push('a.json')
    const next = serverFile(
      [
        tool('four', { title: 'Four' }),
        tool('one', { status: 'paused' }),
        tool('two', { description: 'New words', requires: { sampling: {} } }),
        tool('five'),
      ],
      {
        auth: 'key',
        description: 'A longer text that is told by name',
        prompts: [{ name: 'hello', messages: [] }],
        resources: [{ uri: 'docs://a', name: 'A', text: '' }],
        resourceTemplates: [{ uriTemplate: 'docs://{page}', name: 'Page', text: '{page}' }],
      },
    )
    await save('a.json', next)
    const changes = [
      `a.json: pushed (${ID}) changes`,
      '  ~ auth: none -> key',
      '  ~ description',
      '  + tool five',
      '  - tool three',
      '  ~ tool four: title',
      '  ~ tool one: paused',
      '  ~ tool two: description, requires',
      '  ~ order of tools: four, one, two, five',
      '  + prompt hello',
      '  + resource docs://a',
      '  + resource template docs://{page}',
    ]
    const dry = await push('a.json', '--dry-run')
    assert.deepEqual(dry.out.split('\n'), [
      ...changes,
      'Nothing was applied: this was a dry run.',
      '',
    ])
    assert.equal(dry.code, 0)
    assert.equal((await exported()).tools.length, 4)
    assert.equal((await exported()).auth, 'none')

    const wet = await push('a.json')
    assert.equal(wet.code, 0, wet.err)
    assert.ok(wet.out.startsWith(changes.join('\n')), wet.out)
    assert.deepEqual(
      (await exported()).tools.map(({ name }: { name: string }) => name),
      ['four', 'one', 'two', 'five'],
    )
    assert.match((await push('a.json')).out, /is unchanged/)
  })

  it('takes a folder for all its JSON files, and several files in their order', async () => {
    await save('b.json', serverFile([], { id: undefined, slug: 'bee', name: 'Bee' }))
    await save('a.json', serverFile([]))
    await save('notes.txt', 'not a server')
    const { code, out } = await push('.')
    assert.equal(code, 0)
    assert.match(out, /^a\.json: .* is new\nb\.json: bee is new\na\.json: applied.*\nb\.json: app/)
  })

  it('finds the server of a file without an id by slug or name, and makes one with its id told', async () => {
    await save('a.json', { name: 'No Id', tools: [] })
    const made = await push('a.json')
    const id = /Put "id": "([0-9a-f]{16})" into the file/.exec(made.out)?.[1] ?? ''
    assert.equal((await exported(id)).slug, 'no-id')
    assert.equal((await push('a.json')).out, `a.json: no-id (${id}) is unchanged\n`)
    await save('a.json', { name: 'Renamed', slug: 'no-id', tools: [] })
    assert.match((await push('a.json')).out, new RegExp(`no-id \\(${id}\\) changes\n  ~ name`))
    assert.equal((await exported(id)).name, 'Renamed')
  })

  // A member that only says its default was told as a change, at every push.
  it('finds a server unchanged that says defaults, and members in another order', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', title: 'A' } } }
    await save('a.json', serverFile([tool('one', { inputSchema: schema })]))
    await push('a.json')
    const turned = { properties: { a: { title: 'A', type: 'string' } }, type: 'object' }
    const members = {
      name: ' Pushed ',
      kind: 'hosted',
      hosted: true,
      status: 'active',
      ttlMs: 30_000,
    }
    const one = tool('one', { inputSchema: turned, status: 'active', sortOrder: 0 })
    await save('a.json', serverFile([one], members))
    assert.equal((await push('a.json')).out, `a.json: pushed (${ID}) is unchanged\n`)
  })

  // Its second push told `remote` and `overrides` as changed, and its first nothing of the latter.
  it('tells a remote server once, its overrides tool by tool, and then as unchanged', async () => {
    const members = { id: ID, overrides: { b: { title: 'B', status: 'active' }, a: { name: 'a' } } }
    await save('a.json', remoteFile('Far', members))
    const first = await push('a.json')
    assert.equal(first.code, 0, first.err)
    assert.match(first.out, /^a\.json: far \(\w+\) is new\n {2}\+ tool b \(override\): title\na/)
    assert.equal((await push('a.json')).out, `a.json: far (${ID}) is unchanged\n`)

    const remote = { ...remoteFile('Far').remote, timeoutSeconds: 9 }
    const overrides = { 'get weather': { name: 'weather' }, b: { status: 'paused', title: 'B' } }
    await save('a.json', remoteFile('Far', { ...members, remote, overrides, hosted: undefined }))
    const changed = await push('a.json')
    assert.deepEqual(changed.out.split('\n').slice(0, -2), [
      `a.json: far (${ID}) changes`,
      '  ~ hosted: true -> unset',
      '  ~ remote',
      '  ~ tool b (override): status',
      '  + tool get weather (override): name',
    ])
    assert.equal((await push('a.json')).out, `a.json: far (${ID}) is unchanged\n`)
  })

  it('works in the organization it is told', async () => {
    await createOrganization(at.rollcall, 'acme')
    await save('a.json', serverFile([], { id: undefined }))
    const { code } = await push('a.json', '--organization', 'acme')
    assert.equal(code, 0)
    const { items } = (
      await at.rollcall.admin('GET', '/servers', undefined, inOrganization('acme'))
    ).json
    assert.equal(items.length, 1)
    const none = await push('a.json', '--organization', 'nobody')
    assert.equal(none.code, 1)
    assert.equal(none.err, 'organization_not_found: There is no organization "nobody"\n')
  })

  it('prints its usage when asked, and with exit code 2 when misused', async () => {
    const help = await push('--help')
    assert.equal(help.code, 0)
    assert.match(help.out, /npm run push -- FILE\.\.\.[^]*--dry-run[^]*--organization NAME/)
    assert.ok(!help.out.includes(OPERATOR_TOKEN))
    for (const args of [[], ['--colour', 'a.json'], ['a.json', '--url', 'ftp://x']]) {
      const { code, err } = await runProgram('push', args, { folder: at.folder })
      assert.equal(code, 2, args.join(' '))
      assert.match(err, /npm run push -- FILE/)
    }
  })
})
