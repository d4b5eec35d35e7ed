/**
 * The tools that every MCP upstream of the tests offers, whichever SDK serves them.
 *
 * - `echo {text}`              the text
 * - `add {a, b}`               `outputSchema`, `structuredContent: {sum}`
 * - `progress {steps?}`        that many progress notifications (3) and logs, then a text
 * - `slow {key?}`              waits for `release(key)` or cancellation, both seen by the test
 * - `fails {text?}`            `isError`
 * - `throws`                   a JSON-RPC error -32603 of the server's own
 * - `image`, `audio`, `link`, `embedded`   one block of that kind each
 * - `poll {key?}`              logs, ends its SSE stream, waits for `release(key)`, logs, answers
 * - `elicit`, `elicit_url`, `sample`, `roots`, `several`, `rounds`, `state_only`: see mcp-asking.ts
 *
 * Modern upstreams have besides:
 *
 * - `value {value}`            `structuredContent` of any JSON, as given
 * - `region {region, limit, options: {dry}}`   all three with `x-mcp-header`, answers what it got
 */
import { ASKING_TOOLS } from './mcp-asking.ts'
import { RpcFault, type OfferedTool } from './mcp-world.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=='

const said = (text: string) => ({ content: [{ type: 'text', text }] })

function one(name: string, block: object): OfferedTool {
  return {
    definition: { name, description: `Answers one ${name}`, inputSchema: { type: 'object' } },
    run: () => ({ content: [block] }),
  }
}

/** What all offer. */
export const TOOLS: readonly OfferedTool[] = [
  {
    definition: {
      name: 'echo',
      title: 'Echo',
      description: 'Says it again',
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What to say' } },
        required: ['text'],
      },
      annotations: { readOnlyHint: true, idempotentHint: true },
      _meta: { 'example.com/kept': { deep: [1] } },
    },
    run: ({ text }) => said(String(text)),
  },
  {
    definition: {
      name: 'add',
      description: 'Adds two numbers',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      outputSchema: {
        type: 'object',
        properties: { sum: { type: 'number' } },
        required: ['sum'],
      },
    },
    run({ a, b }) {
      const sum = Number(a) + Number(b)
      return { ...said(JSON.stringify({ sum })), structuredContent: { sum } }
    },
  },
  {
    definition: {
      name: 'progress',
      description: 'Tells how far it is',
      inputSchema: { type: 'object', properties: { steps: { type: 'integer' } } },
    },
    async run({ steps = 3 }, running) {
      for (let step = 1; step <= steps; step += 1) {
        await running.progress({ progress: step, total: steps, message: `step ${step}` })
        await running.log('info', `did step ${step}`)
      }
      return said(`did ${steps} steps`)
    },
  },
  {
    definition: {
      name: 'slow',
      description: 'Waits until it is let go',
      inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
    },
    async run({ key = 'slow' }, running, world) {
      const cancelled = new Promise<void>((resolve) => {
        running.signal.addEventListener('abort', () => {
          world.cancelled.put(key)
          resolve()
        })
      })
      world.started.put(key)
      await Promise.race([world.released(key), cancelled])
      return said(`${key} finished`)
    },
  },
  {
    definition: {
      name: 'fails',
      description: 'Runs and fails',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    },
    run: ({ text = 'it failed' }) => ({ ...said(text), isError: true }),
  },
  {
    definition: { name: 'throws', description: 'Breaks', inputSchema: { type: 'object' } },
    run() {
      throw new RpcFault(-32603, 'the upstream broke')
    },
  },
  one('image', { type: 'image', data: PIXEL, mimeType: 'image/png' }),
  one('audio', { type: 'audio', data: SILENCE, mimeType: 'audio/wav' }),
  one('link', {
    type: 'resource_link',
    uri: 'memo://one',
    name: 'one',
    title: 'Memo one',
    mimeType: 'text/plain',
  }),
  one('embedded', {
    type: 'resource',
    resource: { uri: 'memo://one', mimeType: 'text/plain', text: 'the first memo' },
    annotations: { audience: ['user'], priority: 0.5 },
  }),
  {
    definition: {
      name: 'poll',
      description: 'Ends its stream before its answer',
      inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
    },
    async run({ key = 'poll' }, running, world) {
      await running.log('info', 'before the stream ends')
      running.closeStream?.()
      world.started.put(key)
      await world.released(key)
      await running.log('info', 'after the stream ended')
      return said(`${key} finished`)
    },
  },
  ...ASKING_TOOLS,
]

/** What only modern upstreams offer. */
export const MODERN_TOOLS: readonly OfferedTool[] = [
  {
    definition: {
      name: 'value',
      description: 'Answers any value',
      inputSchema: { type: 'object', properties: { value: {} } },
      outputSchema: {},
    },
    run: ({ value }) => ({ ...said(JSON.stringify(value)), structuredContent: value }),
  },
  {
    definition: {
      name: 'region',
      description: 'Has arguments that are headers too',
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          limit: { type: 'integer', 'x-mcp-header': 'Limit' },
          options: {
            type: 'object',
            properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } },
          },
        },
      },
    },
    run: (args) => said(JSON.stringify(args)),
  },
]
