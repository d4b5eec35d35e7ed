/** What approvals and input overrides make of the tools of a remote server (`surfaces.md` D19). */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Approval } from '../../src/catalog/approval.ts'
import type { Overrides } from '../../src/catalog/overrides.ts'
import { remoteItems } from '../../src/catalog/remote-items.ts'
import type { ApprovalPolicy } from '../../src/catalog/server.ts'
import { approved, approvedByHash, type Definition } from '../support/approvals.ts'

const define = (name: string, members: object = {}): Definition => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: 'object', properties: { x: { type: 'string' } } },
  annotations: { readOnlyHint: true },
  ...members,
})
const [A, B, C] = [define('a'), define('b b'), define('c')]

function itemsOf(
  live: readonly object[],
  policy: ApprovalPolicy,
  approvals: readonly Approval[] = [],
  overrides: Overrides = {},
) {
  const tools = live.map((tool) => JSON.stringify(tool))
  const raw = { tools, prompts: ['{"name":"p"}'], resources: [], resourceTemplates: [] }
  const { items, left } = remoteItems(raw, overrides, { policy, approvals })
  assert.equal(items.at(-1)?.binding, '{"remote":"p"}')
  const shown = items.slice(0, -1).map(({ name, definition, binding, ...rest }) => {
    const { handler, ...bound } = JSON.parse(binding)
    return { name, definition: JSON.parse(definition), original: handler.name, bound, ...rest }
  })
  return { shown, left }
}
const perTool = (live: readonly object[], approvals: readonly Approval[], overrides?: Overrides) =>
  itemsOf(live, 'require_approval_per_tool', approvals, overrides)

describe('the tools of a remote server', () => {
  it('are the newest, and ask nobody, where all is approved', () => {
    const { shown } = itemsOf([A, C], 'auto_approve_all', [approved({ ...A, description: 'Old' })])
    assert.deepEqual(
      shown.map(({ definition }) => definition),
      [A, C],
    )
    assert.deepEqual(
      shown.map(({ bound }) => bound),
      [{}, {}],
    )
  })

  it('are the newest, and ask at every call, where each call is to be approved', () => {
    const { shown } = itemsOf([A, C], 'require_approval_all', [approved(A)])
    assert.deepEqual(
      shown.map(({ definition }) => definition),
      [A, C],
    )
    assert.deepEqual(
      shown.map(({ bound }) => bound),
      [{ asks: true }, { asks: true }],
    )
  })

  it('are those that are approved and there, where each is to be approved', () => {
    const policy = 'requires_approval'
    const approvals = [approved(C), approved(A, { policy }), approved(define('gone'))]
    const { shown, left } = perTool([A, B, C], approvals)
    assert.deepEqual(
      shown.map(({ name, bound }) => [name, bound]),
      [
        ['a', { asks: true }],
        ['c', {}],
      ],
    )
    assert.deepEqual(left, [{ name: 'b b', reason: 'is not approved' }])
  })

  it('are in the definition that was approved, with the live schema where that is another', () => {
    const inputSchema = { type: 'object', properties: {}, required: ['y'] }
    const flipped = { ...C, annotations: { readOnlyHint: false } }
    const { shown } = perTool(
      [{ ...A, description: 'New', inputSchema }, flipped],
      [approved(A), approved(C)],
    )
    assert.deepEqual(
      shown.map(({ definition }) => definition),
      [A, C],
    )
    assert.deepEqual(
      shown.map(({ bound }) => bound),
      [{ live: inputSchema }, {}],
    )
  })

  it('have no live schema for keys in another order', () => {
    const inputSchema = { properties: { x: { type: 'string' } }, type: 'object' }
    const { shown } = perTool([{ ...A, inputSchema }], [approved(A)])
    assert.deepEqual(shown[0]?.bound, {})
  })

  it('are listed as they are where the hash that was approved is theirs, and else not', () => {
    const { shown, left } = perTool([A, C], [approvedByHash(A), approvedByHash(C, { hash: '0' })])
    assert.deepEqual(
      shown.map(({ definition }) => definition),
      [A],
    )
    assert.match(left[0]?.reason ?? '', /only the hash/)
  })

  it('are not listed while they are offered or were approved in what cannot be shown', () => {
    const unfit = { type: 'array' }
    const { shown, left } = perTool(
      [{ ...A, inputSchema: unfit }, C],
      [approved(A), approved({ ...C, inputSchema: unfit })],
    )
    assert.deepEqual(shown, [])
    assert.deepEqual(
      left.map(({ name }) => name),
      ['a', 'c'],
    )
  })

  it('carry what the operator changed over what was approved', () => {
    const overrides = { 'b b': { name: 'bee', description: 'Ours', annotations: { title: 'B' } } }
    const { shown } = perTool([{ ...B, description: 'New' }], [approved(B)], overrides)
    assert.partialDeepStrictEqual(shown, [{ name: 'bee', original: 'b b' }])
    assert.deepEqual(shown[0]?.definition, {
      ...B,
      ...overrides['b b'],
      annotations: { readOnlyHint: true, title: 'B' },
    })
  })

  it('hide the inputs that are said for the caller, and bind them with the time a call may take', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        location: { type: 'object', properties: { city: {}, zip: {} }, required: ['city'] },
      },
      required: ['location'],
    }
    const live = { ...inputSchema, required: ['location', 'new'] }
    const inputs = { '/location/city': { constant: 'Graz' }, '/new': { omit: true } } as const
    const overrides = { a: { inputs, timeoutSeconds: 5 } }
    const { shown } = perTool(
      [define('a', { inputSchema: live })],
      [approved(define('a', { inputSchema }))],
      overrides,
    )
    const location = { type: 'object', properties: { zip: {} }, required: [] }
    const expected = { type: 'object', properties: { location }, required: ['location'] }
    assert.deepEqual(shown[0]?.definition, define('a', { inputSchema: expected }))
    assert.deepEqual(shown[0]?.bound, { live: expected, timeoutSeconds: 5, inputs })
  })
})
