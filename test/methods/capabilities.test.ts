import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerMessage } from '../../src/methods/answer-message.ts'
import { capabilitiesOf } from '../../src/methods/capabilities.ts'
import { catalogOf } from '../support/catalogs.ts'
import { exchangeOf, modernExchangeOf } from '../support/exchanges.ts'
import { prompt, resource, serverFile, template, tool } from '../support/servers.ts'

const CHANGES = { listChanged: true }
const completions = { a: ['x'] }
const handler = {
  kind: 'static',
  result: { content: [] },
  steps: [{ log: { level: 'info', data: 1 } }],
}
const paused = { status: 'paused' }

type Offered = { tools?: object[]; members?: object }

/** What a server offers, and the capabilities that come of it where notices are on. */
const TABLE: [string, Offered, object][] = [
  ['nothing', {}, { tools: CHANGES }],
  [
    'paused things',
    { tools: [tool('a', paused)], members: { prompts: [prompt('p', paused)] } },
    { tools: CHANGES, prompts: CHANGES },
  ],
  ['tools', { tools: [tool('a')] }, { tools: CHANGES }],
  ['tools that log', { tools: [tool('a', { handler })] }, { tools: CHANGES, logging: {} }],
  [
    'paused tools that log',
    { tools: [tool('a', { handler, ...paused })] },
    { tools: CHANGES, logging: {} },
  ],
  ['prompts', { members: { prompts: [prompt('p')] } }, { prompts: CHANGES }],
  [
    'prompts, and tools that are paused',
    { tools: [tool('a', paused)], members: { prompts: [prompt('p')] } },
    { tools: CHANGES, prompts: CHANGES },
  ],
  [
    'prompts with completions',
    { members: { prompts: [prompt('p', { completions })] } },
    { prompts: CHANGES, completions: {} },
  ],
  [
    'resources',
    { members: { resources: [resource('x:')] } },
    { resources: { ...CHANGES, subscribe: true } },
  ],
  [
    'templates',
    { members: { resourceTemplates: [template('x:{a}')] } },
    { resources: { ...CHANGES, subscribe: true } },
  ],
  [
    'templates with completions',
    { members: { resourceTemplates: [template('x:{a}', { completions })] } },
    { resources: { ...CHANGES, subscribe: true }, completions: {} },
  ],
  [
    'everything',
    {
      tools: [tool('a', { handler })],
      members: {
        prompts: [prompt('p', { completions })],
        resources: [resource('x:')],
        resourceTemplates: [template('x:{a}')],
      },
    },
    {
      tools: CHANGES,
      prompts: CHANGES,
      resources: { ...CHANGES, subscribe: true },
      completions: {},
      logging: {},
    },
  ],
]

const METHODS: [string, string, object][] = [
  ['tools/list', 'tools', {}],
  ['tools/call', 'tools', { name: 'a' }],
  ['prompts/list', 'prompts', {}],
  ['prompts/get', 'prompts', { name: 'p' }],
  ['resources/list', 'resources', {}],
  ['resources/templates/list', 'resources', {}],
  ['resources/read', 'resources', { uri: 'x:' }],
  [
    'completion/complete',
    'completions',
    { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
  ],
]

/** Code and status of a method that is not there; undefined for any other answer or error. */
const codeOf = async (answer: () => unknown): Promise<unknown> => {
  try {
    await answer()
    return undefined
  } catch (error) {
    const { code, status } = error as { code: number; status: number }
    return code === -32601 ? [code, status] : undefined
  }
}

for (const [what, { tools = [], members = {} }, expected] of TABLE) {
  const server = (more: object = {}) => catalogOf(serverFile('One', tools, { ...members, ...more }))

  describe(`the capabilities of a server with ${what}`, () => {
    it('§9.2 #37: are what there is to serve, in both eras', () => {
      for (const era of ['legacy', 'modern'] as const) {
        assert.deepEqual(capabilitiesOf(server(), era), expected)
      }
    })

    it('promise no change notices where the server has none', () => {
      const silent = server({ notifications: false })
      const legacy: [string, object][] = Object.entries(expected).map(([name]) => [
        name,
        name === 'resources' ? { subscribe: true } : {},
      ])
      assert.deepEqual(capabilitiesOf(silent, 'legacy'), Object.fromEntries(legacy))
      const modern = Object.keys(expected).map((name) => [name, {}])
      assert.deepEqual(capabilitiesOf(silent, 'modern'), Object.fromEntries(modern))
    })

    for (const [method, capability, params] of METHODS) {
      const isOffered = capability in expected
      it(`§9.2 #37: ${isOffered ? 'offer' : 'do not offer'} ${method}, as it is answered`, async () => {
        const legacy = () =>
          answerMessage('legacy', method, exchangeOf(server(), { params: { ...params } }))
        assert.deepEqual(await codeOf(legacy), isOffered ? undefined : [-32601, 200])
        const exchange = modernExchangeOf(server(), { params: { ...params } })
        const modern = () => answerMessage('modern', method, exchange)
        assert.deepEqual(await codeOf(modern), isOffered ? undefined : [-32601, 404])
      })
    }
  })
}
