/** Server files and tools for tests. */

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

/** A server file with these tools. */
export function serverFile(name: string, tools: readonly object[] = [], members: object = {}) {
  return { name, ...members, tools }
}
