/** Secrets (`convai-api.md` §1 E18): the organization's, by their names; values never come back. */
import * as z from 'zod'
import { SecretText } from '../../handlers/secret.ts'
import type { UsedSecret } from '../../objects/organization/secret-commands.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { refreshUsers } from '../refresh-users.ts'
import {
  answer,
  param,
  readBody,
  readQuery,
  requireValid,
  writeOf,
  type ConvaiCall,
} from './call.ts'
import { cursorOf, pageOf, PageSize } from './paging.ts'
import { formatUsers } from './used-by.ts'

const LIST = 'secrets'
const MAX_ALL = 10_000 // that a list without a page size has: it is told as all
const Name = z.string().min(1).max(200)

const NewSecret = z.object({
  type: z.literal('new').default('new'),
  name: Name,
  value: SecretText,
})

const SecretUpdate = z.object({
  type: z.literal('update').default('update'),
  name: Name,
  value: SecretText,
})

const ListQuery = z.object({
  cursor: cursorOf(LIST),
  page_size: PageSize.default(MAX_ALL),
  /** Bounds tools, agents and phone numbers, of which there are none here. */
  dependency_limit: PageSize.optional(),
  search: z.string().max(200).default(''),
})

const DependenciesQuery = z.object({
  page_size: PageSize.optional(),
  cursor: z.string().optional(),
})
const ResourceType = z.enum(['tools', 'agents', 'phone_numbers'])

/** Lists secrets with the configurations that use them. */
export async function listSecrets(call: ConvaiCall): Promise<Response> {
  const { cursor, page_size: size, search } = readQuery(call, ListQuery)
  const secrets = valueOf(await call.stub.usedSecrets(search, cursor, size + 1))
  const { page, next } = pageOf(LIST, secrets, size, ({ name }) => name)
  return answer({ secrets: page.map((secret) => formatUsed(call, secret)), next_cursor: next })
}

/** Seals a value under a new id. */
export async function createSecret(call: ConvaiCall): Promise<Response> {
  const { name, value } = await readBody(call, NewSecret)
  return answer(format(valueOf(await call.stub.createSecret(name, value, writeOf(call)))))
}

/** One secret, without its value. */
export async function getSecret(call: ConvaiCall): Promise<Response> {
  return answer(formatUsed(call, valueOf(await call.stub.getSecret(param(call, 'id')))))
}

/** Gives a secret another name and value. */
export async function updateSecret(call: ConvaiCall): Promise<Response> {
  const { name: label, value } = await readBody(call, SecretUpdate)
  const outcome = await call.stub.patchSecret(param(call, 'id'), { label, value }, writeOf(call))
  const secret = valueOf(outcome)
  refreshUsers(call, secret.usedBy)
  return answer(format(secret))
}

/** Deletes a secret that nothing uses. */
export async function deleteSecret(call: ConvaiCall): Promise<Response> {
  const write = { ...writeOf(call), unused: true }
  valueOf(await call.stub.deleteSecret(param(call, 'id'), write))
  return answer({})
}

/** The tools, agents and phone numbers of a voice platform that use a secret: there are none here. */
export async function listDependencies(call: ConvaiCall): Promise<Response> {
  requireValid(ResourceType, param(call, 'type'), ['path', 'resource_type'])
  readQuery(call, DependenciesQuery)
  valueOf(await call.stub.getSecret(param(call, 'id')))
  return answer({ dependencies: [], next_cursor: null })
}

function format({ name, label }: { name: string; label: string }) {
  return { type: 'stored', secret_id: name, name: label }
}

function formatUsed({ actor }: ConvaiCall, secret: UsedSecret) {
  return {
    ...format(secret),
    used_by: {
      tools: [],
      tools_has_more: false,
      agents: [],
      agents_has_more: false,
      phone_numbers: [],
      phone_numbers_has_more: false,
      mcp_servers: formatUsers(actor, secret.usedBy),
      others: [],
    },
  }
}
