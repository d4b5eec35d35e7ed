/** The defaults of a deployment's server files, from its own description of the API. */

type Schema = {
  properties?: Record<string, { default?: unknown }>
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
}

type OpenApi = {
  paths?: Record<
    string,
    { put?: { requestBody?: { content?: Record<string, { schema?: Schema }> } } }
  >
}

/** What each member of a server file stands for where it is absent and has a default. */
export function readDefaults(openApi: unknown): Record<string, unknown> {
  const put = (openApi as OpenApi).paths?.['/api/v1/servers/{id}']?.put
  return defaultsOf(put?.requestBody?.content?.['application/json']?.schema ?? {})
}

function defaultsOf({ properties = {}, anyOf = [], oneOf = [] }: Schema): Record<string, unknown> {
  const own = Object.entries(properties)
    .filter(([, schema]) => schema.default !== undefined)
    .map(([name, schema]) => [name, schema.default] as const)
  return Object.assign({}, ...[...anyOf, ...oneOf].map(defaultsOf), Object.fromEntries(own))
}
