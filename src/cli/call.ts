/** `npm run call`: tries a tool of a deployment as the operator, and prints what it answers. */
import { text } from 'node:stream/consumers'
import type { AdminClient } from './admin-client.ts'
import { Misuse, runCommand, type Arguments } from './command.ts'
import { describeResult } from './describe-result.ts'
import { listServers, requireServer } from './find-server.ts'

const USAGE = `npm run call -- SERVER TOOL ['{"argument":"value"}'] [options]

Calls a tool; SERVER is an id or a slug. The arguments are a JSON object, or - to read one from
standard input. Exits with 1 if the tool says that it failed.

  --json                print the whole result as JSON`

await runCommand({ usage: USAGE, options: { json: { type: 'boolean' } }, run })

async function run(args: Arguments, connect: () => Promise<AdminClient>): Promise<number> {
  const [name, tool, given = '{}', ...more] = args.names
  if (name === undefined || tool === undefined || more.length > 0) {
    throw new Misuse('Needed are a server, a tool and at most one JSON object')
  }
  const body = JSON.stringify({
    arguments: parse(given === '-' ? await text(process.stdin) : given),
  })
  const client = await connect()
  const { id } = requireServer(await listServers(client), name)
  const answer = await client.post(`/servers/${id}/tools/${encodeURIComponent(tool)}/call`, body)
  const result = answer.body as { isError?: boolean }
  console.log(args.isSet('json') ? JSON.stringify(result, null, 2) : describeResult(result))
  return result.isError === true ? 1 : 0
}

function parse(given: string): object {
  try {
    const value: unknown = JSON.parse(given)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // told below
  }
  throw new Misuse('The arguments must be a JSON object')
}
