/** The tools of the conformance suite that ask the client, end their stream, or change a list. */
import { askFor, type InputRequest } from './mcp-asking.ts'
import { RpcFault, type OfferedTool, type Running, type World } from './mcp-world.ts'

const INVALID_PARAMS = -32602

const form = (message: string, properties: object, required: readonly string[]): InputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
})

const formOf = (message: string, name: string, type: string): InputRequest =>
  form(message, { [name]: { type } }, [name])

const sampling = (text: string, maxTokens = 100): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
})

const ROOTS: InputRequest = { method: 'roots/list', params: {} }
const NAME = formOf('What is your name?', 'name', 'string')
const CONFIRM = formOf('Please confirm', 'ok', 'boolean')

/** What the prompt that asks wants to know. */
export const CONTEXT_FORM = formOf('What context should the prompt use?', 'context', 'string')

/** The prompt that asks. */
export const CONFORMANCE_PROMPT = {
  name: 'test_input_required_result_prompt',
  description: 'A prompt that needs the input of a user',
}

const USER_FORM = {
  username: { type: 'string', description: "User's response" },
  email: { type: 'string', description: "User's email address" },
}

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
}

const OPTIONS = ['option1', 'option2', 'option3']
const titled = (kind: string) =>
  ['First', 'Second', 'Third'].map((nth, index) => ({
    const: `value${index + 1}`,
    title: `${nth} ${kind}`,
  }))

const ENUMS = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
}

const said = (text: string) => ({ content: [{ type: 'text', text }] })

function tool(name: string, run: OfferedTool['run'], properties: object = {}): OfferedTool {
  const inputSchema = { type: 'object', properties, required: Object.keys(properties) }
  return { definition: { name, description: `Conformance: ${name}`, inputSchema }, run }
}

/** A tool that asks for these things, and says what it was told after a few words. */
function asking(
  name: string,
  requests: (args: Readonly<Record<string, string>>) => Record<string, InputRequest>,
  words: string,
  properties: object = {},
): OfferedTool {
  const run: OfferedTool['run'] = (args, running) => {
    const asked = askFor(requests(args), running)
    return 'ask' in asked ? asked.ask : said(`${words}: ${JSON.stringify(asked.answers)}`)
  }
  return tool(name, run, properties)
}

/** A tool that asks these one after the other, and wants its own state back each time. */
function stateful(name: string, rounds: readonly Record<string, InputRequest>[]): OfferedTool {
  return tool(name, (_args, running, world) => {
    const round = roundOf(running, world)
    const asked = askFor(rounds[Math.max(round - 1, 0)] ?? {}, running)
    if (round > 0 && 'ask' in asked) return { ...asked.ask, requestState: running.requestState }
    const next = rounds[round]
    if (next === undefined) return said('state-ok')
    return {
      resultType: 'input_required',
      inputRequests: next,
      requestState: world.giveState(round + 1),
    }
  })
}

/** How many rounds have been asked. */
function roundOf({ requestState }: Running, world: World): number {
  if (requestState === undefined) return 0
  const round = world.states.get(requestState)
  if (typeof round === 'number') return round
  throw new RpcFault(INVALID_PARAMS, 'Invalid or expired requestState')
}

/** The tools. */
export const ACTIVE_TOOLS: readonly OfferedTool[] = [
  asking('test_sampling', ({ prompt = '' }) => ({ answer: sampling(prompt) }), 'LLM response', {
    prompt: { type: 'string' },
  }),
  asking(
    'test_elicitation',
    ({ message = '' }) => ({ answer: form(message, USER_FORM, ['username', 'email']) }),
    'User response',
    { message: { type: 'string' } },
  ),
  asking(
    'test_elicitation_sep1034_defaults',
    () => ({ answer: form('Please review', DEFAULTS, []) }),
    'Elicitation completed',
  ),
  asking(
    'test_elicitation_sep1330_enums',
    () => ({ answer: form('Please choose', ENUMS, []) }),
    'Elicitation completed',
  ),
  asking('test_input_required_result_elicitation', () => ({ user_name: NAME }), 'Hello'),
  asking(
    'test_input_required_result_sampling',
    () => ({ capital_question: sampling('What is the capital of France?') }),
    'The answer',
  ),
  asking('test_input_required_result_list_roots', () => ({ client_roots: ROOTS }), 'The roots'),
  stateful('test_input_required_result_request_state', [{ confirm: CONFIRM }]),
  stateful('test_input_required_result_tampered_state', [{ confirm: CONFIRM }]),
  stateful('test_input_required_result_multiple_inputs', [
    { user_name: NAME, greeting: sampling('Generate a greeting', 50), client_roots: ROOTS },
  ]),
  stateful('test_input_required_result_multi_round', [
    { step1: formOf('Step 1: What is your name?', 'name', 'string') },
    { step2: formOf('Step 2: What is your favorite color?', 'color', 'string') },
  ]),
  tool('test_input_required_result_capabilities', (_args, running) => {
    const can = running.clientCapabilities ?? {}
    const requests = {
      ...('sampling' in can && { idea: sampling('Say something') }),
      ...('elicitation' in can && { name: NAME }),
    }
    const asked = askFor(requests, running)
    return 'ask' in asked ? asked.ask : said(JSON.stringify(asked.answers))
  }),
  tool('test_reconnection', (_args, running) => {
    running.closeStream?.()
    return said('Reconnection test completed')
  }),
  tool('test_trigger_tool_change', async (_args, _running, world) => {
    const name = 'test_tool_that_came'
    await (world.tools.has(name) ? world.removeTool(name) : world.addTool(name))
    return said('The tools changed')
  }),
  tool('test_trigger_prompt_change', async (_args, _running, world) => {
    await world.changePrompts()
    return said('The prompts changed')
  }),
]
