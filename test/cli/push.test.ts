/** `npm run push` against a real Rollcall: what it says, what it applies, how it ends. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { createOrganization, inOrganization } from '../support/admin.ts'
import { runProgram } from '../support/programs.ts'
import { remoteFile } from '../support/remotes.ts'
import { OPERATOR_TOKEN, startRollcall, type Rollcall } from '../support/rollcall.ts'

const ID = 'c11c11c11c11c110'

const tool = (name: string, members: object = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  handler: { kind: 'static', result: { content: [{ type: 'text', text: name }] } },
  ...members,
})

const serverFile = (tools: object[], members: object = {}) => ({
  id: ID,
  name: 'Pushed',
  slug: 'pushed',
  tools,
  ...members,
})

describe('npm run push', () => {
  let rollcall: Rollcall
  let folder: string
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rollcall-push-'))
    const { items } = (await rollcall.admin('GET', '/servers')).json
    for (const { id } of items) await rollcall.admin('DELETE', `/servers/${id}`)
  })

  afterEach(() => rm(folder, { recursive: true, force: true }))

  const save = (name: string, value: unknown) =>
    writeFile(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  const push = (...args: string[]) =>
    runProgram('push', [...args, '--url', rollcall.url], { folder })
  const exported = async (id = ID) => (await rollcall.admin('GET', `/servers/${id}/export`)).json

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

  it('applies nothing when a file cannot be read, and names every file and field', async () => {
    await save('good.json', serverFile([tool('one')]))
    await save('broken.json', '{"name":')
    await save('list.json', [])
    await save('wrong.json', { id: 'short', tools: [{}, tool('a'), tool('a')] })
    const { code, out, err } = await push('.', 'absent.json')
    assert.equal(code, 1)
    assert.match(out, /good\.json: pushed .* is new\n {2}\+ tool one/)
    assert.match(err, /^broken\.json: is not JSON: /m)
    assert.match(err, /^list\.json: must be a JSON object$/m)
    assert.match(err, /^wrong\.json: invalid: /m)
    for (const line of [
      '  id must be 16 lower-case hex digits',
      '  name is missing',
      '  tools[0].name is missing',
      '  tools[2].name "a" stands twice',
    ]) {
      assert.ok(err.includes(line), err)
    }
    assert.match(err, /^absent\.json: cannot be read \(ENOENT\)$/m)
    assert.match(err, /Nothing was applied\.\n$/)
    assert.equal((await rollcall.admin('GET', `/servers/${ID}`)).status, 404)
  })

  it('tells every field that the deployment refuses before it applies anything', async () => {
    await save('a.json', serverFile([tool('one')]))
    await save('b.json', {
      name: 'Bee',
      colour: 'red',
      tools: [tool('bad name'), tool('ok', { handler: 7 })],
    })
    const auth = { type: 'bearer', token: { secret: 'token' } }
    const { remote } = remoteFile('Sea')
    await save('c.json', remoteFile('Sea', { remote: { ...remote, auth } }))
    for (const args of [['.'], ['.', '--dry-run']]) {
      const { code, out, err } = await push(...args)
      assert.equal(code, 1)
      assert.equal(out, `a.json: pushed (${ID}) is new\n  + tool one\n`)
      assert.match(err, /^b\.json: invalid: /)
      assert.match(err, /^ {2}colour is not a known member$/m)
      assert.match(err, /^ {2}tools\[0\]\.name must be /m)
      assert.match(err, /^ {2}tools\[1\]\.handler /m)
      assert.match(err, /^c\.json: invalid: .*\n {2}auth must not be none/m)
      assert.match(err, /Nothing was applied\.\n$/)
    }
    assert.deepEqual((await rollcall.admin('GET', '/servers')).json.items, [])
  })

  it('applies nothing when a slug is wanted twice, or another server has it', async () => {
    await save('a.json', serverFile([]))
    await save('b.json', serverFile([], { id: 'c11c11c11c11c111' }))
    const twice = await push('.')
    assert.equal(twice.code, 1)
    assert.equal(twice.err, 'b.json: has the same slug as a.json\nNothing was applied.\n')
    await push('a.json')
    const taken = await push('b.json')
    assert.match(taken.err, /^b\.json: slug_taken: .*\nNothing was applied\.\n$/)
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

  it('refuses two files that are for one server', async () => {
    await save('a.json', serverFile([tool('one')]))
    await save('b.json', serverFile([tool('two')]))
    const { code, err } = await push('.')
    assert.equal(code, 1)
    assert.equal(err, 'b.json: is for the same server as a.json\nNothing was applied.\n')
  })

  it('changes nothing that moved after it was compared', async () => {
    await save('a.json', serverFile([tool('one')]))
    await push('a.json')
    await save('a.json', serverFile([tool('two')]))
    // Stands between the program and Rollcall, and has somebody else be faster with a change.
    const between = createServer((request, response) => {
      void (async () => {
        if (request.method === 'PUT' && !request.url?.endsWith('?dryRun=true')) {
          await rollcall.admin('PATCH', `/servers/${ID}`, { description: 'Faster' })
        }
        const body = await text(request)
        const { authorization = '', 'if-match': revision } = request.headers
        const answer = await rollcall.send(request.url ?? '/', {
          method: request.method ?? 'GET',
          headers: {
            authorization,
            'content-type': 'application/json',
            ...(revision !== undefined && { 'if-match': revision }),
          },
          ...(body !== '' && { body }),
        })
        response.writeHead(answer.status, { etag: answer.headers.get('etag') ?? '' })
        response.end(answer.text)
      })()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => between.on('listening', resolve))
    const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`
    const { code, err } = await runProgram('push', ['a.json', '--url', url], { folder })
    between.close()
    assert.equal(code, 1)
    assert.match(err, /^a\.json: the server moved: it was at revision \d+ when it was compared\./)
    assert.equal((await exported()).tools[0].name, 'one')
  })

  it('works in the organization it is told', async () => {
    await createOrganization(rollcall, 'acme')
    await save('a.json', serverFile([], { id: undefined }))
    const { code } = await push('a.json', '--organization', 'acme')
    assert.equal(code, 0)
    const { items } = (await rollcall.admin('GET', '/servers', undefined, inOrganization('acme')))
      .json
    assert.equal(items.length, 1)
    const none = await push('a.json', '--organization', 'nobody')
    assert.equal(none.code, 1)
    assert.equal(none.err, 'organization_not_found: There is no organization "nobody"\n')
  })

  it('says in a line that nobody answers, that the token is wrong, and that there is none', async () => {
    await save('a.json', serverFile([]))
    const args = ['a.json', '--url', 'http://127.0.0.1:1']
    const refused = await runProgram('push', args, { folder })
    assert.equal(refused.code, 1)
    assert.match(refused.err, /^unreachable: nobody answers at http:\/\/127\.0\.0\.1:1 \(.+\)\n$/)
    const env = { OPERATOR_TOKEN: 'not-the-token-0123456789abc', ROLLCALL_URL: rollcall.url }
    const wrong = await runProgram('push', ['a.json'], { folder, env })
    assert.equal(wrong.code, 1)
    assert.equal(wrong.err, 'invalid_token: This is not the operator token\n')
    const bare = { OPERATOR_TOKEN: undefined }
    const far = ['a.json', '--url', 'https://mcp.example.com']
    const none = await runProgram('push', far, { folder, env: bare })
    assert.equal(none.code, 1)
    assert.match(none.err, /^There is no operator token: put it into the environment/)
  })

  it('prints its usage when asked, and with exit code 2 when misused', async () => {
    const help = await push('--help')
    assert.equal(help.code, 0)
    assert.match(help.out, /npm run push -- FILE\.\.\.[^]*--dry-run[^]*--organization NAME/)
    assert.ok(!help.out.includes(OPERATOR_TOKEN))
    for (const args of [[], ['--colour', 'a.json'], ['a.json', '--url', 'ftp://x']]) {
      const { code, err } = await runProgram('push', args, { folder })
      assert.equal(code, 2, args.join(' '))
      assert.match(err, /npm run push -- FILE/)
    }
  })
})
