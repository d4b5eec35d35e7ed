/** Server files and what they offer, for tests. */

/** A tool that answers a fixed text. */
export function tool(name: string, members: object = {}) {
  return {
    name,
    description: `The tool ${name}`,
    inputSchema: { type: 'object' },
    handler: { kind: 'static', result: { content: [{ type: 'text', text: `${name} ran` }] } },
    ...members,
  }
}

/** A prompt of one message. */
export function prompt(name: string, members: object = {}) {
  return {
    name,
    messages: [{ role: 'user', content: { type: 'text', text: `${name} says` } }],
    ...members,
  }
}

/** A resource of a fixed text. */
export function resource(uri: string, members: object = {}) {
  return { uri, name: uri, text: `at ${uri}`, ...members }
}

/** A template whose resources have a fixed text. */
export function template(uriTemplate: string, members: object = {}) {
  return { uriTemplate, name: uriTemplate, text: `by ${uriTemplate}`, ...members }
}

/** A server file with these tools. */
export function serverFile(name: string, tools: readonly object[] = [], members: object = {}) {
  return { name, ...members, tools }
}
