import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Unavailable } from '../../../src/memory/lookup.ts'
import { HttpError } from '../../../src/protocol/http-error.ts'
import { formatConvaiError } from '../../../src/surfaces/convai/errors.ts'
import { Unprocessable } from '../../../src/surfaces/convai/wrong.ts'
import { assertSchema, ERROR, VALIDATION_ERROR } from '../../support/convai-schemas.ts'

const ID = '3f0c'

async function told(error: unknown) {
  const response = formatConvaiError(error, ID)
  const { detail } = await response.json<{ detail: any }>() // oxlint-disable-line typescript/no-explicit-any -- whatever came
  return { status: response.status, detail, headers: response.headers }
}

const ROWS: [error: HttpError, type: string, code: string, word: string][] = [
  [new HttpError(400, 'odd', 'm'), 'validation_error', 'odd', 'odd'],
  [
    new HttpError(401, 'unauthorized', 'm'),
    'authentication_error',
    'unauthorized',
    'missing_permissions',
  ],
  [
    new HttpError(403, 'org_suspended', 'm'),
    'authorization_error',
    'org_suspended',
    'org_suspended',
  ],
  [
    new HttpError(404, 'mcp_server_not_found', 'm'),
    'not_found',
    'mcp_server_not_found',
    'mcp_server_not_found',
  ],
  [
    new HttpError(409, 'variable_label_taken', 'm'),
    'conflict',
    'variable_label_taken',
    'variable_label_taken',
  ],
  [
    new HttpError(429, 'rate_limit_exceeded', 'm'),
    'rate_limit_error',
    'rate_limit_exceeded',
    'rate_limit_exceeded',
  ],
  [
    new HttpError(503, 'unavailable', 'm'),
    'service_unavailable',
    'service_unavailable',
    'service_unavailable',
  ],
]

describe('formatConvaiError', () => {
  for (const [error, type, code, word] of ROWS) {
    it(`tells ${error.status} ${error.code} as ${type}`, async () => {
      const { status, detail } = await told(error)
      const expected = { type, code, message: 'm', status: word, request_id: ID, param: null }
      assert.deepEqual({ status, detail }, { status: error.status, detail: expected })
      assertSchema(ERROR, { detail })
    })
  }

  it('names the parameter that is wrong outside the schema, and keeps headers', async () => {
    const extras = { details: [{ path: 'environment', message: 'odd' }], headers: { 'X-A': 'b' } }
    const { detail, headers } = await told(new HttpError(400, 'invalid_parameters', 'm', extras))
    assert.equal(detail.param, 'environment')
    assert.equal(headers.get('x-a'), 'b')
  })

  it('tells what an object refused field by field, below the body', async () => {
    const details = [{ path: 'remote.headers[2]', message: 'is odd' }]
    for (const [extras, loc] of [
      [{ details }, ['body', 'remote', 'headers', 2]],
      [{}, ['body']],
    ] as const) {
      const { status, detail } = await told(new HttpError(422, 'invalid', 'is odd', extras))
      assert.equal(status, 422)
      assert.deepEqual(detail, [{ type: 'value_error', loc, msg: 'Value error, is odd' }])
      assertSchema(VALIDATION_ERROR, { detail })
    }
  })

  it('tells at most a hundred wrong fields', async () => {
    const wrong = Array.from({ length: 500 }, (_, n) => ({ type: 't', loc: ['body', n], msg: 'm' }))
    const { detail } = await told(new Unprocessable(wrong))
    assert.equal(detail.length, 100)
  })

  it('says when to come again where nobody can be asked', async () => {
    const { status, headers } = await told(new Unavailable('KV is away'))
    assert.deepEqual([status, headers.get('retry-after')], [503, '2'])
  })

  it('tells nothing of what was not foreseen, and logs it under the id of its request', async (context) => {
    const log = context.mock.method(console, 'error', () => {})
    const error = new Error('a secret')
    const { status, detail } = await told(error)
    assert.deepEqual([status, detail.type, detail.code], [500, 'internal_error', 'internal_error'])
    assert.doesNotMatch(JSON.stringify(detail), /secret/)
    assert.match(String(log.mock.calls[0]?.arguments[0]), RegExp(`^request ${ID} failed: Error: `))
  })
})
