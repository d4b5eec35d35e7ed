/** `npm run push` where it applies nothing: what it says is wrong, and where. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { runProgram } from '../support/programs.ts'
import { ID, serverFile, setUpPushing, tool } from '../support/pushing.ts'
import { remoteFile } from '../support/remotes.ts'

describe('npm run push', () => {
  const at = setUpPushing()
  const { save, push, exported } = at

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
    assert.equal((await at.rollcall.admin('GET', `/servers/${ID}`)).status, 404)
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
    assert.deepEqual((await at.rollcall.admin('GET', '/servers')).json.items, [])
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
          await at.rollcall.admin('PATCH', `/servers/${ID}`, { description: 'Faster' })
        }
        const body = await text(request)
        const { authorization = '', 'if-match': revision } = request.headers
        const answer = await at.rollcall.send(request.url ?? '/', {
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
    const { code, err } = await runProgram('push', ['a.json', '--url', url], { folder: at.folder })
    between.close()
    assert.equal(code, 1)
    assert.match(err, /^a\.json: the server moved: it was at revision \d+ when it was compared\./)
    assert.equal((await exported()).tools[0].name, 'one')
  })

  it('says in a line that nobody answers, that the token is wrong, and that there is none', async () => {
    await save('a.json', serverFile([]))
    const args = ['a.json', '--url', 'http://127.0.0.1:1']
    const refused = await runProgram('push', args, { folder: at.folder })
    assert.equal(refused.code, 1)
    assert.match(refused.err, /^unreachable: nobody answers at http:\/\/127\.0\.0\.1:1 \(.+\)\n$/)
    const env = { OPERATOR_TOKEN: 'not-the-token-0123456789abc', ROLLCALL_URL: at.rollcall.url }
    const wrong = await runProgram('push', ['a.json'], { folder: at.folder, env })
    assert.equal(wrong.code, 1)
    assert.equal(wrong.err, 'invalid_token: This is not the operator token\n')
    const bare = { OPERATOR_TOKEN: undefined }
    const far = ['a.json', '--url', 'https://mcp.example.com']
    const none = await runProgram('push', far, { folder: at.folder, env: bare })
    assert.equal(none.code, 1)
    assert.match(none.err, /^There is no operator token: put it into the environment/)
  })
})
