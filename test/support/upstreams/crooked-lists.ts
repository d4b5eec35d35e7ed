/**
 * What a crooked server answers to `tools/list`. Where one tool is wrong, `good` stands beside it.
 *
 * - paging: `endless`, `repeated cursor`, `cycle`, `empty cursor` (two pages), `null cursor` (one page),
 *   `number cursor`, `many` (100,000 tools, 1,000 a page), `invalid cursor` (page 2 always -32602),
 *   `invalid cursor once`, `breaks later` (page 2 is a 500)
 * - tools: `duplicates`, `names` (ODD_NAMES), `no names`, `no schema`, `null schema`, `odd schemas`,
 *   `deep schema`, `large schema`, `doubling refs`, `doubling allOf`, `cyclic refs`, `slow pattern`,
 *   `remote ref`, `bad headers`, `no objects`
 * - answers: `no tools`, `tools no list`, `huge` (32 MiB), `bare` (no resultType, ttlMs, cacheScope),
 *   `task`, `session lost` (404 once where there is a session id), `session refused` (400 once),
 *   `error`, `-32020`, `500`, `no answer`, `the connection ends`
 */
import {
  answer,
  fault,
  hang,
  once,
  resultOf,
  status,
  vanish,
  type Behaviour,
  type Exchange,
} from './crooked-exchange.ts'
import {
  cyclicRefs,
  deepSchemaText,
  doublingAllOf,
  doublingRefs,
  largeSchema,
  remoteRef,
  slowPattern,
} from './crooked-schemas.ts'
import { sendText } from './recording.ts'

const MANY = 100_000
const PAGE = 1_000
const HUGE_BYTES = 32 * 1024 * 1024

/** A tool with nothing wrong. */
const tool = (name: unknown, members: object = {}) => ({
  name,
  description: `The tool ${String(name)}`,
  inputSchema: { type: 'object' },
  ...members,
})

/** Names that break `[A-Za-z0-9_.-]{1,64}`, that become one when made to fit, or that objects have. */
export const ODD_NAMES: readonly string[] = [
  '',
  'with space',
  'with_space',
  'with/space',
  'a/b:c',
  'größe',
  '天気',
  '🌦',
  'line\nbreak',
  'x'.repeat(65),
  `${'x'.repeat(65)}y`,
  'y'.repeat(1000),
  'two__parts',
  '__proto__',
  'constructor',
]

const list =
  (...tools: readonly unknown[]): Behaviour =>
  (exchange) =>
    answer(exchange, { tools })

const beside =
  (inputSchema: (url: string) => unknown): Behaviour =>
  (exchange) =>
    answer(exchange, {
      tools: [tool('bad', { inputSchema: inputSchema(exchange.url) }), tool('good')],
    })

/** Each page has one tool, named by its number, and the cursor that is given. */
const paged =
  (next: (cursor: string | undefined, nth: number) => unknown): Behaviour =>
  (exchange) => {
    const cursor = exchange.params['cursor'] as string | undefined
    const nextCursor = next(cursor, exchange.nth)
    return answer(exchange, { tools: [tool(`tool_${exchange.nth}`)], nextCursor })
  }

const onPageTwo =
  (second: Behaviour): Behaviour =>
  (exchange) =>
    exchange.params['cursor'] === undefined
      ? answer(exchange, { tools: [tool('one')], nextCursor: 'two' })
      : second(exchange)

function many(exchange: Exchange): Promise<void> {
  const start = Number(exchange.params['cursor'] ?? 0)
  const tools = Array.from({ length: PAGE }, (_, index) => tool(`tool_${start + index}`))
  const end = start + PAGE
  return answer(exchange, { tools, ...(end < MANY && { nextCursor: String(end) }) })
}

const bare: Behaviour = ({ response, id }) => {
  const result = { tools: [tool('good')] }
  sendText(response, JSON.stringify({ jsonrpc: '2.0', id, result }), 'application/json')
}

const deep: Behaviour = (exchange) => {
  const tools = [tool('bad', { inputSchema: 'HERE' }), tool('good')]
  const result = resultOf(exchange, { tools })
  const text = JSON.stringify({ jsonrpc: '2.0', id: exchange.id, result })
  sendText(exchange.response, text.replace('"HERE"', deepSchemaText()), 'application/json')
}

const refusingSession =
  (code: number): Behaviour =>
  (exchange) => {
    if (exchange.nth > 0) return answer(exchange, { tools: [tool('good')] })
    return fault({ ...exchange, id: null }, code === 404 ? -32001 : -32000, { status: code })
  }

const header = (name: string, property: object) => ({
  inputSchema: { type: 'object', properties: { a: { 'x-mcp-header': name, ...property } } },
})

/** Each by its name. */
export const LISTS = {
  plain: list(tool('good'), tool('other'), tool('third')),
  endless: paged((_cursor, nth) => `page-${nth}`),
  'repeated cursor': paged(() => 'same'),
  cycle: paged((cursor) => (cursor === 'a' ? 'b' : 'a')),
  'empty cursor': paged((cursor) => (cursor === undefined ? '' : undefined)),
  'null cursor': paged(() => null),
  'number cursor': paged(() => 5),
  many,
  'invalid cursor': onPageTwo((exchange) => fault(exchange, -32602)),
  'invalid cursor once': onPageTwo((exchange) =>
    exchange.nth === 1 ? fault(exchange, -32602) : answer(exchange, { tools: [tool('two')] }),
  ),
  'breaks later': onPageTwo(status(500)),
  duplicates: list(
    tool('good'),
    tool('same', { title: 'First' }),
    tool('same', { title: 'Second' }),
  ),
  names: list(...ODD_NAMES.map((name) => tool(name)), tool('good')),
  'no names': list(tool(undefined), tool(null), tool(5), tool({}), tool('good')),
  'no schema': beside(() => undefined),
  'null schema': beside(() => null),
  'odd schemas': list(
    ...['text', [], true, 5, {}, { type: 'array' }, { type: 'object', properties: [] }].map(
      (inputSchema, index) => tool(`bad_${index}`, { inputSchema }),
    ),
    tool('good'),
  ),
  'deep schema': deep,
  'large schema': beside(largeSchema),
  'doubling refs': beside(doublingRefs),
  'doubling allOf': beside(doublingAllOf),
  'cyclic refs': beside(cyclicRefs),
  'slow pattern': beside(slowPattern),
  'remote ref': beside(remoteRef),
  'bad headers': list(
    tool('bad_token', header('not a token', { type: 'string' })),
    tool('bad_empty', header('', { type: 'string' })),
    tool('bad_type', header('Number', { type: 'number' })),
    tool('bad_place', {
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Item' } } },
      },
    }),
    tool('bad_twice', {
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'string', 'x-mcp-header': 'Same' },
          b: { type: 'string', 'x-mcp-header': 'same' },
        },
      },
    }),
    tool('good', header('Good', { type: 'string' })),
  ),
  'no objects': list(null, 5, 'text', [], tool('good')),
  'no tools': (exchange) => answer(exchange, {}),
  'tools no list': (exchange) => answer(exchange, { tools: { good: tool('good') } }),
  huge: (exchange) =>
    answer(exchange, { tools: [tool('good', { description: 'x'.repeat(HUGE_BYTES) })] }),
  bare,
  task: (exchange) => answer(exchange, { resultType: 'task', tools: [tool('good')] }),
  'session lost': refusingSession(404),
  'session refused': refusingSession(400),
  error: (exchange) => fault(exchange, -32603),
  '-32020': once((exchange) => fault(exchange, -32020, { status: 400 }), list(tool('good'))),
  '500': status(500),
  'no answer': hang,
  'the connection ends': vanish,
} as const satisfies Readonly<Record<string, Behaviour>>

export type ListName = keyof typeof LISTS
