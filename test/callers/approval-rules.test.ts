import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ApprovalRules,
  decide,
  NO_RULES,
  type Effect,
  type RuledCall,
} from '../../src/callers/approval-rules.ts'

const CALL: RuledCall = {
  server: '00000000000000aa',
  capability: 'notion',
  tool: 'create_page',
  annotations: {},
  args: {},
  caller: 'member',
  asks: false,
}

/** Whether a rule with this match is for a call; it is written in the form that is stored. */
function matches(match: object, call: Partial<RuledCall> = {}): boolean {
  const rules = ApprovalRules.parse({ rules: [{ match, effect: 'ask' }], default: 'run' })
  return decide(rules, { ...CALL, ...call }) === 'ask'
}

/** What is wrong with rules, by path. */
function wrong(rules: unknown): string[] {
  const { error } = ApprovalRules.safeParse(rules)
  return error?.issues.map(({ path }) => path.join('.')) ?? []
}

const ruled = (...matchings: object[]) => ({
  rules: matchings.map((match) => ({ match, effect: 'ask' })),
  default: 'run',
})

describe('Rules on calls', () => {
  it('decide by the first that matches, and by the default where none does', () => {
    const rules = ApprovalRules.parse({
      rules: [
        { match: { tool: 'delete_all' }, effect: 'refuse' },
        { match: { server: 'notion' }, effect: 'ask' },
        { match: { tool: 'delete_*' }, effect: 'run' },
      ],
      default: 'refuse',
    })
    const effects: [call: Partial<RuledCall>, effect: Effect][] = [
      [{ tool: 'delete_all' }, 'refuse'],
      [{ tool: 'delete_one' }, 'ask'],
      [{ tool: 'delete_one', capability: 'twitter' }, 'run'],
      [{ tool: 'post', capability: 'twitter' }, 'refuse'],
    ]
    for (const [call, effect] of effects) assert.equal(decide(rules, { ...CALL, ...call }), effect)
    assert.equal(decide(NO_RULES, CALL), 'run')
    assert.equal(decide({ rules: [], default: 'ask' }, CALL), 'ask')
  })

  it('ask for a tool that a person said asks, and may refuse it, but never just run it (D19)', () => {
    const asking = { ...CALL, asks: true }
    const rule = (effect: Effect) => ({ rules: [{ match: {}, effect }], default: 'run' as const })
    assert.equal(decide(NO_RULES, asking), 'ask')
    assert.equal(decide(rule('run'), asking), 'ask')
    assert.equal(decide(rule('ask'), asking), 'ask')
    assert.equal(decide(rule('refuse'), asking), 'refuse')
  })

  it('are for a server by its id or its capability, a tool by its name, and a kind of caller', () => {
    assert.ok(matches({}))
    assert.ok(matches({ server: CALL.server }))
    assert.ok(matches({ server: 'notion' }))
    assert.ok(!matches({ server: 'notio' }))
    for (const tool of ['create_page', 'create_*', '*page', '*', 'c*e*p*', '**']) {
      assert.ok(matches({ tool }), tool)
    }
    for (const tool of ['page', 'create', 'create_page*x', 'page*create', 'create_page_*']) {
      assert.ok(!matches({ tool }), tool)
    }
    assert.ok(!matches({ tool: 'aba*aba' }, { tool: 'aba' }), 'nothing stands for two')
    assert.ok(matches({ tool: '(a+)+$' }, { tool: '(a+)+$' }), 'only * is special')
    assert.ok(matches({ caller: 'member' }))
    assert.ok(!matches({ caller: 'agent' }))
    assert.ok(!matches({ server: 'notion', tool: 'create_page', caller: 'agent' }), 'all must hold')
  })

  it('look at annotations as MCP has them, also those that are not there', () => {
    const of = (annotations: object) => ({ annotations: annotations as RuledCall['annotations'] })
    assert.ok(matches(of({ readOnlyHint: false, destructiveHint: true, openWorldHint: true })))
    assert.ok(!matches(of({ readOnlyHint: true })))
    assert.ok(matches(of({ readOnlyHint: true }), of({ readOnlyHint: true })))
    assert.ok(!matches(of({ destructiveHint: true }), of({ readOnlyHint: true })))
    assert.ok(!matches(of({ destructiveHint: true }), of({ destructiveHint: false })))
    assert.ok(!matches(of({ readOnlyHint: true }), of({ readOnlyHint: 'true' })), 'which is none')
  })

  it('look at arguments by JSON pointer, for a value that is equal', () => {
    const at = (pointer: string, wanted: unknown, args: object) =>
      matches({ arguments: { [pointer]: wanted } }, { args: args as RuledCall['args'] })
    assert.ok(at('/to/0/mail', 'a@b.c', { to: [{ mail: 'a@b.c' }] }))
    assert.ok(at('/a~1b/~0', 1, { 'a/b': { '~': 1 } }))
    assert.ok(at('/', true, { '': true }))
    assert.ok(at('/a', null, { a: null }))
    assert.ok(!at('/a', null, {}), 'what is not there equals nothing')
    assert.ok(!at('/a', '1', { a: 1 }))
    assert.ok(!at('/constructor/name', 'Object', {}))
    assert.ok(!at('/a/length', 1, { a: ['x'] }))
    assert.ok(!at('/a/00', 'x', { a: ['x'] }))
    assert.ok(at('/a', { equals: { y: [1, 2], x: 1 } }, { a: { x: 1, y: [1, 2] } }))
    assert.ok(!at('/a', { equals: [1, 2] }, { a: [2, 1] }))
    assert.ok(matches({ arguments: { '/a': 1, '/b': 2 } }, { args: { a: 1, b: 2 } }))
    assert.ok(!matches({ arguments: { '/a': 1, '/b': 2 } }, { args: { a: 1, b: 3 } }))
  })

  it('compare arguments with a choice, a pattern and bounds', () => {
    const is = (wanted: object, value: unknown) =>
      matches({ arguments: { '/a': wanted } }, { args: { a: value } })
    assert.ok(is({ in: ['x', 2, null] }, 2))
    assert.ok(!is({ in: ['x', 2] }, '2'))
    assert.ok(is({ matches: '*@example.com' }, 'a@example.com'))
    assert.ok(!is({ matches: '*@example.com' }, 'a@example.com.evil'))
    assert.ok(is({ atLeast: 10 }, 10))
    assert.ok(!is({ atLeast: 10 }, 9.5))
    assert.ok(is({ atLeast: 10, atMost: 20 }, 15))
    assert.ok(!is({ atLeast: 10, atMost: 20 }, 21))
  })

  it('match what cannot be compared where they ask or refuse, and not where they let run', () => {
    for (const [wanted, value] of [
      [{ atLeast: 10 }, '11'],
      [{ atMost: 10 }, ['11']],
      [{ matches: 'x*' }, 1],
    ] as const) {
      const match = { arguments: { '/a': wanted } }
      const call = { ...CALL, args: { a: value } }
      const effectOf = (effect: Effect, otherwise: Effect) =>
        decide({ rules: [{ match, effect }], default: otherwise }, call)
      assert.equal(effectOf('ask', 'run'), 'ask')
      assert.equal(effectOf('refuse', 'run'), 'refuse')
      assert.equal(effectOf('run', 'refuse'), 'refuse')
    }
  })

  it('match a pattern in a time that does not explode', () => {
    const text = 'a'.repeat(60_000)
    const began = performance.now()
    assert.ok(!matches({ tool: `${'*a'.repeat(99)}*b` }, { tool: text }))
    assert.ok(performance.now() - began < 1000)
  })

  it('are refused where they are crooked, each wrong field named', () => {
    assert.deepEqual(wrong(ruled({})), [])
    assert.deepEqual(wrong({ rules: [] }), ['default'])
    assert.deepEqual(wrong({ rules: [{ match: {}, effect: 'allow' }], default: 'run' }), [
      'rules.0.effect',
    ])
    assert.deepEqual(wrong(ruled({ sever: 'notion' })), ['rules.0.match'])
    assert.deepEqual(wrong(ruled({ arguments: { amount: 1 } })), ['rules.0.match.arguments.amount'])
    assert.deepEqual(wrong(ruled({ arguments: { '/a': {} } })), ['rules.0.match.arguments./a'])
    assert.ok(wrong(ruled({ arguments: { '/a': { like: 'x' } } })).length > 0)
    let deep: unknown = 1
    for (let n = 0; n < 30; n++) deep = [deep]
    assert.ok(wrong(ruled({ arguments: { '/a': { equals: deep } } })).length > 0)
    assert.deepEqual(wrong(ruled(...Array.from({ length: 101 }, () => ({})))), ['rules'])
    const long = {
      tool: 'x'.repeat(200),
      server: 'y'.repeat(200),
      arguments: { '/a': 'z'.repeat(400) },
    }
    assert.deepEqual(wrong(ruled(...Array.from({ length: 100 }, () => long))), [''])
  })
})
