import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseTool } from '../../src/catalog/tool.ts'
import { HttpError } from '../../src/protocol/http-error.ts'

const tool = (handler: object, members: object = {}) => ({
  name: 'a',
  inputSchema: { type: 'object', properties: { a: {}, b: {} } },
  handler: { kind: 'http', url: 'https://example.com/', ...handler },
  ...members,
})

const oauthAt = (tokenUrl: string) => {
  return { type: 'oauth2', tokenUrl, clientId: 'me', clientSecret: { secret: 's' } }
}

const problemsOf = (value: object): string[] => {
  try {
    parseTool(value)
    return []
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return (error.details ?? []).map(({ path, message }) => `${path} ${message}`)
  }
}

describe('An HTTP handler beside its tool', () => {
  const wrong: [object, RegExp][] = [
    [{ url: 'https://example.com/{c}' }, /^handler\.url has \{c\}, which is no property/],
    [{ url: 'https://{a}.example.com/' }, /^handler\.url may have/],
    [{ url: 'https://example.com/{a/b}' }, /^handler\.url has a brace/],
    [{ url: 'https://example.com/?q={a}' }, /^handler\.url may have/],
    [{ url: 'ftp://example.com/' }, /^handler\.url must begin/],
    [{ url: 'https://me:pw@example.com/' }, /^handler\.url must have no user name/],
    [{ arguments: { c: { in: 'query' } } }, /^handler\.arguments\.c is no property/],
    [{ arguments: { a: { in: 'path' } } }, /^handler\.arguments\.a is not in the URL/],
    [
      { url: 'https://example.com/{a}', arguments: { a: { in: 'query' } } },
      /^handler\.arguments\.a goes into the path/,
    ],
    [
      { arguments: { a: { in: 'body' } } },
      /^handler\.arguments\.a cannot be sent in the body of a GET/,
    ],
    [
      { arguments: { a: { in: 'header', name: 'Host' } } },
      /^handler\.arguments\.a\.name is set by the transport/,
    ],
    [
      { arguments: { a: { in: 'header', name: 'a b' } } },
      /^handler\.arguments\.a\.name must be a header name/,
    ],
    [{ method: 'POST', retries: 1 }, /^handler\.retries must be 0/],
    [{ method: 'PUT', cacheSeconds: 1 }, /^handler\.cacheSeconds is for GET/],
    [{ retries: 6 }, /^handler\.retries must be at most 5/],
    [{ timeoutSeconds: 301 }, /^handler\.timeoutSeconds must be at most 300/],
    [
      { headers: { Authorization: 'Bearer x' } },
      /^handler\.headers\.Authorization must be a secret/,
    ],
    [{ headers: { 'X-A': 'a\r\nb: c' } }, /^handler\.headers\.X-A must be printable/],
    [{ auth: { type: 'bearer', token: 'open' } }, /^handler\.auth\.token must be {"secret"/],
    [
      { auth: oauthAt('https://me:pw@example.com/token') },
      /^handler\.auth\.tokenUrl must have no user, password or fragment/,
    ],
    [
      { auth: { type: 'bearer', token: { secret: '__proto__' } } },
      /^handler\.auth\.token\.secret cannot be/,
    ],
    [{ auth: { type: 'digest' } }, /^handler\.auth\.type must be "none" or "bearer"/],
    [{ kind: 'mcp' }, /^handler\.\w+ is not a known member|^handler\.name is missing/],
  ]
  for (const [handler, message] of wrong) {
    it(`refuses ${JSON.stringify(handler)}`, () => {
      const [first = 'nothing'] = problemsOf(tool(handler))
      assert.match(first, message)
    })
  }

  it('keeps the handlers of remote servers to those', () => {
    const remote = { ...tool({}), handler: { kind: 'mcp', name: 'x' } }
    assert.deepEqual(problemsOf(remote), [
      'handler.kind is "mcp" for the tools of a remote server alone',
    ])
  })

  it('takes a limit of its own, up to 6000 a minute', () => {
    assert.deepEqual(problemsOf(tool({}, { rateLimit: 6000 })), [])
    assert.match(problemsOf(tool({}, { rateLimit: 6001 }))[0] ?? '', /^rateLimit/)
  })
})
