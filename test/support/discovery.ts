/** Discovery at the objects themselves, and what an organization reaches remote servers by. */
import assert from 'node:assert/strict'
import type { Organization } from '../../src/objects/organization.ts'
import type { Upstream } from '../../src/objects/upstream.ts'
import { upstreamOf } from './objects.ts'
import type { Rollcall } from './rollcall.ts'

type Bindings = {
  ORGANIZATION: DurableObjectNamespace<Organization>
  UPSTREAM: DurableObjectNamespace<Upstream>
}

const ORGANIZATION = 'org_default'
const WRITE = { actor: 'test' }

/** The organization's object. */
export async function organizationOf({ harness, objectName }: Rollcall) {
  const env = await harness.getWorker<Bindings>().getEnv()
  return env.ORGANIZATION.getByName(objectName(ORGANIZATION))
}

/** What a discovery of a server comes to, its tools read. */
export async function discover(
  { harness, objectName }: Rollcall,
  server: string,
  environment = 'production',
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
): Promise<{ tools?: any[]; dropped?: number; problem?: string }> {
  const env = await harness.getWorker<Bindings>().getEnv()
  const stub = env.UPSTREAM.getByName(objectName(upstreamOf(server).name))
  const found = await stub.discover({ organization: ORGANIZATION, server }, environment)
  if ('problem' in found) return { problem: found.problem }
  const tools = JSON.parse(new TextDecoder().decode(found.tools)) as unknown[]
  return { tools, dropped: found.dropped }
}

/** The names of the tools a discovery finds. */
export async function discoveredNames(...args: Parameters<typeof discover>) {
  const { tools, problem } = await discover(...args)
  assert.equal(problem, undefined)
  return tools?.map(({ name }) => String(name)) ?? []
}

/** Makes a variable, and gives its id. */
export async function createVariable(
  rollcall: Rollcall,
  label: string,
  values: Record<string, string>,
): Promise<string> {
  const stub = await organizationOf(rollcall)
  const made = await stub.createVariable({ label, type: 'string', values }, WRITE)
  assert.ok('value' in made, JSON.stringify(made))
  return made.value.id
}
