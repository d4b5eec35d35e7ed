/** The admin API's environments: what a narrower caller has of connectors and remote servers. */
import { requireValid } from '../../catalog/issues.ts'
import { EnvironmentName } from '../../catalog/names.ts'
import type { EnvironmentRecord } from '../../objects/organization/environments.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { EnvironmentBody, EnvironmentEntries } from '../environment-forms.ts'
import {
  cursorOf,
  json,
  limitOf,
  noContent,
  pageOf,
  param,
  readValid,
  writeOf,
  type AdminCall,
} from './call.ts'

export async function createEnvironment(call: AdminCall): Promise<Response> {
  const { name, entries } = await readValid(call, EnvironmentBody)
  const outcome = await call.stub.createEnvironment(name, entries, writeOf(call))
  return written(valueOf(outcome).environment, true)
}

export async function putEnvironment(call: AdminCall): Promise<Response> {
  const name = requireValid(EnvironmentName, param(call, 'name'), 'name')
  const { entries } = await readValid(call, EnvironmentEntries)
  const outcome = await call.stub.putEnvironment(name, entries, writeOf(call))
  const { environment, created } = valueOf(outcome)
  return written(environment, created)
}

export async function listEnvironments(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const records = valueOf(await call.stub.listEnvironments(cursorOf(call), limit + 1))
  return pageOf(call, records, limit, ({ name }) => name)
}

export async function getEnvironment(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(valueOf(await call.stub.getEnvironment(param(call, 'name')))))
}

export async function deleteEnvironment(call: AdminCall): Promise<Response> {
  valueOf(await call.stub.deleteEnvironment(param(call, 'name'), writeOf(call)))
  return noContent()
}

function written(environment: EnvironmentRecord, created: boolean): Response {
  const location = { Location: `/api/v1/environments/${environment.name}` }
  return json(JSON.stringify(environment), created ? 201 : 200, created ? location : {})
}
