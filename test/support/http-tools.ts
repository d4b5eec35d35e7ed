/** A server of HTTP tools over an API on loopback, and their results as clients of each kind get them. */
import { legacy, modern, modernHeaders } from './messages.ts'
import { startRollcall, type Answer, type Rollcall } from './rollcall.ts'
import { serverFile } from './servers.ts'
import { startHttpApi, type HttpApi } from './upstreams/http-api.ts'
import type { OAuthOptions } from './upstreams/http-oauth.ts'

export type HttpTools = {
  rollcall: Rollcall
  api: HttpApi
  /** The result of a call outside of a session; the whole answer's body where it is an error. */
  call(tool: string, args?: object): Promise<any> // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
  /** The text of it. */
  textOf(tool: string, args?: object): Promise<string>
  /** The answer of a call in the stateless era. */
  modernCall(tool: string, args?: object): Promise<Answer>
  /** Headers that open the server. */
  key: Record<string, string>
  path: string
  id: string
  close(): Promise<void>
}

export type ToolsOf = (url: string) => readonly object[]

export type HttpToolsOptions = {
  secrets?: Record<string, string>
  oauth?: OAuthOptions
}

/** An HTTP tool with string properties of these names. */
export function httpTool(
  name: string,
  handler: object,
  members: object = {},
  properties: readonly string[] = [],
) {
  return {
    name,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties.map((property) => [property, {}])),
    },
    handler: { kind: 'http', ...handler },
    ...members,
  }
}

/** Starts a Rollcall with a server of these tools, behind a key, and the API. */
export async function startHttpTools(
  toolsOf: ToolsOf,
  { secrets = {}, oauth }: HttpToolsOptions = {},
): Promise<HttpTools> {
  const [rollcall, api] = await Promise.all([
    startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } }),
    startHttpApi(oauth),
  ])
  for (const [name, value] of Object.entries(secrets)) {
    await rollcall.admin('PUT', `/secrets/${name}`, { value })
  }
  const file = serverFile('HTTP', toolsOf(api.url), { auth: 'key' })
  const server = await rollcall.admin('POST', '/servers', file)
  if (server.status !== 201) throw new Error(server.text)
  const { id, endpoint: path } = server.json
  const minted = await rollcall.admin('POST', '/keys', { name: 'test', kind: 'server', server: id })
  const key = { authorization: `Bearer ${minted.json.secret}` }
  const call = async (tool: string, args: object = {}) => {
    const message = legacy('tools/call', { name: tool, arguments: args })
    const { json } = await rollcall.post(path, message, key)
    return json.result ?? json
  }
  return {
    rollcall,
    api,
    call,
    textOf: async (tool, args) => (await call(tool, args)).content[0].text,
    modernCall: (tool, args = {}) =>
      rollcall.post(path, modern('tools/call', { name: tool, arguments: args }), {
        ...modernHeaders('tools/call', tool),
        ...key,
      }),
    key,
    path,
    id,
    close: async () => {
      await Promise.all([rollcall.close(), api.close()])
    },
  }
}
