/** Members of each role, an agent and a stranger, and how tests ask the admin API as one of them. */
import assert from 'node:assert/strict'
import { createOrganization, createServer, inOrganization, refusal } from './admin.ts'
import type { Answer, Rollcall } from './rollcall.ts'
import { serverFile, tool } from './servers.ts'

export type Person = { id: string; key: string; keyId: string }
type Role = 'owner' | 'admin' | 'member'

export type Principals = {
  people: Record<Role, Person>
  agent: Person
  /** The owner of another organization. */
  stranger: Person
  /** The id of a server. */
  server: string
}

/** Makes them all, each with a key. */
export async function startPrincipals(rollcall: Rollcall): Promise<Principals> {
  const person = async (body: object, headers = {}): Promise<Person> => {
    const { status, text, json } = await rollcall.admin('POST', '/keys', body, headers)
    assert.equal(status, 201, text)
    return { id: json.principal, key: json.secret, keyId: json.id }
  }
  const member = (role: Role) => person({ name: role, kind: 'member', role })
  const people = {
    owner: await member('owner'),
    admin: await member('admin'),
    member: await member('member'),
  }
  const agent = await person({ name: 'agent', kind: 'agent' })
  await createOrganization(rollcall, 'other')
  const stranger = await person(
    { name: 'stranger', kind: 'member', role: 'owner' },
    inOrganization('other'),
  )
  const { id: server } = await createServer(rollcall, serverFile('Ours', [tool('a')]))
  return { people, agent, stranger, server }
}

/** Asks the admin API with a key or a session. */
export function askAs(
  rollcall: Rollcall,
  credential: string,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
): Promise<Answer> {
  return rollcall.admin(method, path, body, { authorization: `Bearer ${credential}`, ...headers })
}

/** Opens a session of a member, and gives its token. */
export async function sessionOf(rollcall: Rollcall, { id }: { id: string }): Promise<string> {
  const answer = await rollcall.admin('POST', `/members/${id}/session`)
  assert.equal(answer.status, 201, answer.text)
  return answer.json.token
}

/** Asserts that an answer is this refusal. */
export function refused(answer: Answer, status: number, code: string): void {
  assert.deepEqual(refusal(answer), { status, code }, answer.text)
}
