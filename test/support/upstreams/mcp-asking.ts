/**
 * Handlers that ask the client: they answer `input_required` until they have what they need, and a
 * legacy server turns that into requests of its own.
 *
 * - tools `elicit {message?}` (form), `elicit_url`, `sample {prompt?}`, `roots`: one request each
 * - tool `several`: all of `who` (elicitation), `idea` (sampling), `where` (roots) at once
 * - tool `rounds`: asks `first`, then `second`, with `requestState` that carries the first answer
 * - tool `state_only`: a `requestState` and nothing to ask, once
 * - `askFor(key, request, running)` for prompts and resources that ask
 *
 * Each answers a JSON text of what it was told. A `requestState` that was never given is -32602.
 */
import { RpcFault, type OfferedTool, type Running, type World } from './mcp-world.ts'

export type InputRequest = { method: string; params?: object }

/** The form that asks for a name. */
export const NAME_FORM: InputRequest = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Who are you?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string', title: 'Name' } },
      required: ['name'],
    },
  },
}

const URL_FORM: InputRequest = {
  method: 'elicitation/create',
  params: {
    mode: 'url',
    message: 'Sign in there',
    url: 'https://example.com/sign-in',
    elicitationId: 'sign-in-1',
  },
}

const ROOTS: InputRequest = { method: 'roots/list' }

const sampling = (prompt = 'Say something'): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
})

/** The answers to these requests, or the result that asks for those that are missing. */
export function askFor(
  requests: Readonly<Record<string, InputRequest>>,
  running: Running,
  requestState?: string,
): { answers: Readonly<Record<string, unknown>> } | { ask: object } {
  const answers = running.inputResponses ?? {}
  const missing = Object.entries(requests).filter(([key]) => answers[key] === undefined)
  if (missing.length === 0) return { answers }
  const inputRequests = Object.fromEntries(missing)
  return { ask: { resultType: 'input_required', inputRequests, requestState } }
}

function asking(
  name: string,
  properties: object,
  requests: (args: Readonly<Record<string, string | undefined>>) => Record<string, InputRequest>,
): OfferedTool {
  return {
    definition: {
      name,
      description: `Asks the client: ${name}`,
      inputSchema: { type: 'object', properties },
    },
    run(args, running) {
      const asked = askFor(requests(args), running)
      return 'ask' in asked ? asked.ask : told(asked.answers)
    },
  }
}

/** The tools that ask. */
export const ASKING_TOOLS: readonly OfferedTool[] = [
  asking('elicit', { message: { type: 'string' } }, ({ message }) => ({
    who: { ...NAME_FORM, params: { ...NAME_FORM.params, ...(message && { message }) } },
  })),
  asking('elicit_url', {}, () => ({ signed: URL_FORM })),
  asking('sample', { prompt: { type: 'string' } }, ({ prompt }) => ({ idea: sampling(prompt) })),
  asking('roots', {}, () => ({ where: ROOTS })),
  asking('several', {}, () => ({ who: NAME_FORM, idea: sampling(), where: ROOTS })),
  {
    definition: {
      name: 'rounds',
      description: 'Asks twice, one after the other',
      inputSchema: { type: 'object' },
    },
    run(_args, running, world) {
      const first = meaningOf(running, world)
      if (first === undefined) {
        const asked = askFor({ first: NAME_FORM }, running)
        if ('ask' in asked) return { ...asked.ask, requestState: world.giveState({ round: 1 }) }
        throw new RpcFault(-32602, 'an answer came without the requestState it belongs to')
      }
      const answers = { ...first, ...running.inputResponses }
      const asked = askFor(
        { first: NAME_FORM, second: sampling() },
        { ...running, inputResponses: answers },
      )
      return 'ask' in asked
        ? { ...asked.ask, requestState: world.giveState(answers) }
        : told({ first: asked.answers['first'], second: asked.answers['second'] })
    },
  },
  {
    definition: {
      name: 'state_only',
      description: 'Wants to be called again',
      inputSchema: { type: 'object' },
    },
    run: (_args, running, world) =>
      meaningOf(running, world) === undefined
        ? { resultType: 'input_required', requestState: world.giveState('again') }
        : told({ again: true }),
  },
]

function meaningOf({ requestState }: Running, world: World): object | undefined {
  if (requestState === undefined) return undefined
  const meaning = world.states.get(requestState)
  if (meaning === undefined) throw new RpcFault(-32602, 'Invalid or expired requestState')
  return Object(meaning) as object
}

function told(answers: object) {
  return { content: [{ type: 'text', text: JSON.stringify(answers) }] }
}
