/** What tests ask the admin API for again and again, each with the success they count on. */
import assert from 'node:assert/strict'
import { eventually } from './eventually.ts'
import { LIST } from './messages.ts'
import type { Answer, Rollcall } from './rollcall.ts'

type Named = { name: string }

/** The headers that put a request into an organization. */
export const inOrganization = (name: string) => ({ 'rollcall-organization': name })

/** Makes a server from a file and gives the answer's body. */
export async function createServer(rollcall: Rollcall, file: object, headers = {}) {
  const made = await rollcall.admin('POST', '/servers', file, headers)
  assert.equal(made.status, 201, made.text)
  return made.json
}

/** Makes an organization and gives the answer's body. */
export async function createOrganization(rollcall: Rollcall, name: string) {
  const made = await rollcall.admin('POST', '/organizations', { name })
  assert.equal(made.status, 201, made.text)
  return made.json
}

/** Makes a server key and gives the answer's body. */
export async function createKey(rollcall: Rollcall, server: string, members: object = {}) {
  const made = await rollcall.admin('POST', '/keys', { name: 'A key', server, ...members })
  assert.equal(made.status, 201, made.text)
  return made.json
}

/** The names an MCP client is listed at an endpoint. */
export async function listedNames(rollcall: Rollcall, endpoint: string, key?: string) {
  const list = await rollcall.post(endpoint, LIST, key ? { authorization: `Bearer ${key}` } : {})
  assert.equal(list.status, 200, list.text)
  return list.json.result.tools.map(({ name }: Named): string => name)
}

/** The names of a server's tools in the admin API, in order. */
export async function toolNames(rollcall: Rollcall, server: string, headers = {}) {
  const list = await rollcall.admin('GET', `/servers/${server}/tools`, undefined, headers)
  assert.equal(list.status, 200, list.text)
  return list.json.items.map(({ name }: Named): string => name)
}

/** A server as the admin API tells it. */
export async function readServer(rollcall: Rollcall, server: string) {
  return (await rollcall.admin('GET', `/servers/${server}`)).json
}

/** A server's revision as it stands. */
export async function revisionOf(rollcall: Rollcall, server: string): Promise<number> {
  return (await readServer(rollcall, server)).revision
}

/** Waits until KV holds a server's newest revision. */
export async function untilPublished(rollcall: Rollcall, server: string, headers = {}) {
  const { json } = await eventually(
    () => rollcall.admin('GET', `/servers/${server}`, undefined, headers),
    ({ json: { revision, publishedRevision } }) => revision === publishedRevision,
  )
  return json
}

/** Every item of a list, page by page. */
export async function allItems(rollcall: Rollcall, path: string, limit: number, headers = {}) {
  const items: any[] = [] // oxlint-disable-line typescript/no-explicit-any -- whatever came
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor && { cursor }) })
    const page = await rollcall.admin('GET', `${path}?${query.toString()}`, undefined, headers)
    assert.equal(page.status, 200, page.text)
    assert.ok(page.json.items.length <= limit)
    items.push(...page.json.items)
    cursor = page.json.nextCursor
  } while (cursor !== undefined)
  return items
}

/** The refusal an answer is: its status and code, for one comparison. */
export function refusal({ status, json }: Answer) {
  return { status, code: json?.error?.code }
}

/** The fields a 422 names. */
export function wrongFields({ status, text, json }: Answer): string[] {
  assert.equal(status, 422, text)
  assert.equal(json.error.code, 'invalid')
  return json.error.details.map(({ path }: { path: string }) => path)
}
