/** What tests ask the gateway for again and again, by a key. */
import { askGateway, onlyEvent } from './acme.ts'
import { eventually } from './eventually.ts'
import { legacy, LIST } from './messages.ts'
import type { Rollcall } from './rollcall.ts'

type Named = { name: string }
type At = { path?: string; headers?: Record<string, string> }

/** The names a caller is listed. */
export async function namesOf(rollcall: Rollcall, key: string, at: At = {}): Promise<string[]> {
  const { result } = onlyEvent(await askGateway(rollcall, key, LIST, at))
  return result.tools.map(({ name }: Named) => name)
}

/** The names that are no `manage__*` tool's. */
export async function theirs(rollcall: Rollcall, key: string, at: At = {}): Promise<string[]> {
  return (await namesOf(rollcall, key, at)).filter((name) => !name.startsWith('manage__'))
}

/** Waits until a caller is listed exactly these, beside `manage__*` tools. */
export async function untilListed(
  rollcall: Rollcall,
  key: string,
  names: readonly string[],
  at: At = {},
): Promise<void> {
  await eventually(
    () => theirs(rollcall, key, at),
    (listed) => JSON.stringify(listed) === JSON.stringify(names),
  )
}

/** Calls a tool, and gives the message that came. */
export async function callTool(
  rollcall: Rollcall,
  key: string,
  name: string,
  args: object = {},
  at: At = {},
) {
  const message = legacy('tools/call', { name, arguments: args })
  return onlyEvent(await askGateway(rollcall, key, message, at))
}

/** Waits until a path of the gateway, such as an environment's, is served to a caller. */
export async function untilServed(rollcall: Rollcall, key: string, path: string): Promise<void> {
  await eventually(
    () => askGateway(rollcall, key, LIST, { path }),
    ({ status }) => status === 200,
  )
}
