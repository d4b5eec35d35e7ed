/** Clients of the session era that are asked something while a call runs. */
import type { EventStream } from './event-stream.ts'
import { legacy } from './messages.ts'
import { openSession, type TestSession } from './sessions.ts'
import type { Rollcall } from './rollcall.ts'

export const ALL = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: { listChanged: true },
}

export const ADA = { action: 'accept', content: { name: 'Ada' } }
export const IDEA = { role: 'assistant', content: { type: 'text', text: 'tea' }, model: 'm' }
export const ROOTS = { roots: [{ uri: 'file:///a' }] }

/** What a client that means well answers, by method. */
export const ANSWERS: Readonly<Record<string, object>> = {
  'elicitation/create': ADA,
  'sampling/createMessage': IDEA,
  'roots/list': ROOTS,
}

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
type Message = any

/** A session whose client declares what it can be asked. */
export function openAskable(rollcall: Rollcall, path: string, capabilities: object = ALL) {
  return openSession(rollcall, path, { capabilities })
}

/** Calls a tool on a stream. */
export function callTool(
  session: TestSession,
  name: string,
  args: object = {},
  id: string | number = 1,
): Promise<EventStream> {
  return session.stream(legacy('tools/call', { name, arguments: args }, id))
}

/** Answers whatever is asked on a stream: the questions, and the answer that ends it. */
export async function answerAll(
  session: TestSession,
  stream: EventStream,
  answers = ANSWERS,
): Promise<{ asked: Message[]; answer: Message }> {
  const asked: Message[] = []
  for (;;) {
    const message = await stream.message()
    if (message === undefined || !('method' in message)) return { asked, answer: message }
    if (!('id' in message)) continue
    asked.push(message)
    await reply(session, message, { result: answers[message.method] })
  }
}

/** Answers one question. */
export function reply(session: TestSession, { id }: Message, outcome: object) {
  return session.post({ jsonrpc: '2.0', id, ...outcome })
}
