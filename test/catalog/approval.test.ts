import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  approvalHash,
  approvalStates,
  approvedText,
  definitionHash,
  liveTools,
} from '../../src/catalog/approval.ts'
import { approved, approvedByHash, offered, type Definition } from '../support/approvals.ts'

const A: Definition = {
  name: 'a',
  description: 'The tool a',
  inputSchema: { type: 'object', properties: { x: { type: 'string' } }, required: ['x'] },
}
const REORDERED: Definition = {
  inputSchema: { required: ['x'], properties: { x: { type: 'string' } }, type: 'object' },
  description: 'The tool a',
  name: 'a',
}
const STRICTER = { type: 'object', properties: {}, required: ['x', 'y'] }

describe('the hashes of a definition', () => {
  it('of convai: are of description and parameters alone', () => {
    const hash = approvalHash(A)
    const others = { title: 'A', annotations: { readOnlyHint: true }, outputSchema: {}, name: 'b' }
    assert.equal(approvalHash({ ...A, ...others }), hash)
    assert.equal(approvalHash(REORDERED), hash)
    assert.notEqual(approvalHash({ ...A, description: 'the tool a' }), hash)
    assert.notEqual(approvalHash({ ...A, inputSchema: STRICTER }), hash)
  })

  it('of convai: are the same without a description as with an empty one', () => {
    const { description: _, ...bare } = A
    assert.equal(approvalHash(bare), approvalHash({ ...A, description: '' }))
    assert.equal(approvalHash({ ...A, description: null }), approvalHash(bare))
  })

  it('of the whole: are of every member', () => {
    assert.equal(definitionHash(REORDERED), definitionHash(A))
    assert.notEqual(definitionHash({ ...A, annotations: {} }), definitionHash(A))
    assert.notEqual(definitionHash({ ...A, surprise: 1 }), definitionHash(A))
  })
})

describe('the states of convai-api.md §11', () => {
  const statesOf = (live: readonly Definition[], ...approvals: ReturnType<typeof approved>[]) =>
    approvalStates(live, approvals)
  const state = (members: object) => ({
    tool: 'a',
    state: 'up_to_date',
    policy: 'auto_approved',
    approvedDefinition: null,
    ...members,
  })
  const needsReview = (members: object = {}) =>
    state({
      state: 'needs_review',
      approvedDefinition: { description: A['description'], inputSchema: A.inputSchema },
      ...members,
    })

  it('none stored: not_approved', () => {
    assert.deepEqual(statesOf([A]), [state({ state: 'not_approved', policy: null })])
  })

  it('approved as it is: up_to_date, whatever order keys are in', () => {
    assert.deepEqual(statesOf([A], approved(A)), [state({})])
    assert.deepEqual(statesOf([REORDERED], approved(A)), [state({})])
  })

  it('another description or schema: needs_review, with what was approved', () => {
    assert.deepEqual(statesOf([{ ...A, description: 'B' }], approved(A)), [needsReview()])
    assert.deepEqual(statesOf([{ ...A, inputSchema: STRICTER }], approved(A)), [needsReview()])
  })

  it('other annotations, title or output schema: up_to_date', () => {
    const other = { ...A, annotations: { readOnlyHint: false }, title: 'T', outputSchema: {} }
    assert.deepEqual(statesOf([other], approved(A)), [state({})])
  })

  it('only a hash: up_to_date where it is that, else needs_review without a definition', () => {
    const policy = 'requires_approval'
    assert.deepEqual(statesOf([A], approvedByHash(A, { policy })), [state({ policy })])
    assert.deepEqual(statesOf([A], approvedByHash(A, { policy, hash: 'other' })), [
      needsReview({ policy, approvedDefinition: null }),
    ])
  })

  it('a tool that is gone: no entry; the rest in the order of the tools', () => {
    assert.deepEqual(statesOf([], approved(A)), [])
    const [b, c] = [
      { ...A, name: 'b' },
      { ...A, name: 'a:b' },
    ]
    const tools = statesOf([c, b, A], approved(A)).map(({ tool }) => tool)
    assert.deepEqual(tools, ['a:b', 'b', 'a'])
  })
})

describe('the tools of texts', () => {
  it('are those that can be approved, the first of each name', () => {
    const deep = JSON.parse('{"a":'.repeat(70) + '1' + '}'.repeat(70)) as object
    const tools = offered(A, { ...A, description: 'Again' }, { name: 'bare' }, [], 'x' as never, {
      ...A,
      name: 'deep',
      _meta: deep,
    })
    assert.deepEqual([...tools.keys()], ['a'])
    assert.equal(tools.get('a')?.description, 'The tool a')
    assert.equal(liveTools([]).size, 0)
    assert.equal(offered({ ...A, name: '\ud800' }).size, 0)
  })
})

describe('the definition that is served', () => {
  const live = offered({ ...A, title: 'Now' }).get('a')
  assert.ok(live)

  it('is the approved one, byte by byte', () => {
    assert.equal(approvedText(approved(A), live), JSON.stringify(A))
    assert.equal(approvedText(approved(REORDERED), live), JSON.stringify(REORDERED))
  })

  it('is what is offered where only its hash is known, or a part of it, and that is the same', () => {
    assert.equal(approvedText(approvedByHash(A), live), live.text)
    assert.equal(approvedText(approved(A, { wholeHash: null }), live), live.text)
    assert.equal(approvedText(approvedByHash(A, { hash: 'other' }), live), undefined)
    const part = approved({ ...A, description: 'Old' }, { wholeHash: null })
    assert.equal(approvedText(part, live), part.definition)
  })
})
