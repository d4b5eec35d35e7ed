/** A server with something of every kind, for real clients to find their way in. */
import { prompt, resource, serverFile, template, tool } from './servers.ts'

const said = (text: string) => ({ content: [{ type: 'text', text }] })
const handled = (result: object, steps?: readonly object[]) => ({
  handler: { kind: 'static', result, ...(steps && { steps }) },
})
const strings = (name: string, members: object = {}) => ({
  inputSchema: {
    type: 'object',
    properties: { [name]: { type: 'string', ...members } },
    required: [name],
  },
})

export const INSTRUCTIONS = 'Greet people before anything else.'
export const NOTES = 'notes://today'

/** Says three things and how far it is, and ends. */
const TALK = [
  { progress: { progress: 1, total: 3, message: 'begun' } },
  { log: { level: 'info', logger: 'talk', data: 'half way' } },
  { progress: { progress: 2, total: 3 } },
  { log: { level: 'error', logger: 'talk', data: { almost: true } } },
  { progress: { progress: 3, total: 3 } },
]

export const TOOLS = [
  tool('greet', { ...strings('name'), ...handled(said('Hello, {name}!')) }),
  tool('measure', {
    ...strings('what'),
    outputSchema: {
      type: 'object',
      properties: { what: { type: 'string' }, value: { type: 'number' } },
      required: ['what', 'value'],
    },
    ...handled({ ...said('42'), structuredContent: { what: '{what}', value: 42 } }),
  }),
  tool('talk', handled(said('talked'), TALK)),
  tool('endless', handled(said('never'), [TALK[0] ?? {}, { waitMs: 60_000 }])),
  tool('regional', {
    ...strings('region', { 'x-mcp-header': 'Region' }),
    ...handled(said('in {region}')),
  }),
]

export const TOOL_NAMES = TOOLS.map(({ name }) => name)

/** The file of one; members given stand in place of its own. */
export function showcase(
  name: string,
  { tools = TOOLS, ...members }: { tools?: readonly object[] } & Record<string, unknown> = {},
) {
  return serverFile(name, tools, {
    instructions: INSTRUCTIONS,
    prompts: [
      prompt('welcome', {
        arguments: [{ name: 'language', required: true }],
        messages: [{ role: 'user', content: { type: 'text', text: 'Welcome in {language}' } }],
        completions: { language: ['English', 'Estonian', 'French'] },
      }),
    ],
    resources: [resource(NOTES, { mimeType: 'text/plain', text: 'the first text' })],
    resourceTemplates: [
      template('notes://{day}/all', { text: 'notes of {day}', completions: { day: ['monday'] } }),
    ],
    ...members,
  })
}
