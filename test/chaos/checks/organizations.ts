/**
 * Organizations after a restart: those acknowledged are there, those deleted are not, and a name whose
 * making did not commit can be had again. Nobody else could wake such an organization: its id is lost.
 */
import { send } from '../writing.ts'
import * as attempts from '../attempts.ts'
import { until } from '../until.ts'
import type { OrganizationRecord } from '../world.ts'
import { violate, type Scene } from './scene.ts'

/** Finds out which organizations there are. */
export async function checkOrganizations(scene: Scene): Promise<void> {
  for (const organization of scene.world.organizations) {
    if (organization.id === '') await findNameless(scene, organization)
    else await findKnown(scene, organization)
  }
  const isNamed = ({ name, state }: OrganizationRecord) => state !== 'gone' && name !== 'default'
  const names = scene.world.organizations.filter(isNamed).map(({ name }) => name)
  if (new Set(names).size < names.length)
    violate(scene, `two organizations share a name: ${names.join()}`)
  await checkFreeNames(scene)
  scene.world.organizations = scene.world.organizations.filter(({ state }) => state === 'live')
}

async function findKnown({ world, client }: Scene, organization: OrganizationRecord) {
  const { id, name, state } = organization
  if (name === 'default') return
  const { status } = await client.admin('default', 'GET', `/organizations/${id}`)
  if (status !== 200 && status !== 404) world.violations.push(`organization ${name}: ${status}`)
  if (state === 'live' && status === 404) world.violations.push(`organization ${name} is lost`)
  if (state === 'gone' && status === 200) world.violations.push(`organization ${name} came back`)
  organization.state = status === 200 ? 'live' : 'gone'
}

/** An organization whose making was never answered is there, or its name is free soon. */
async function findNameless(scene: Scene, organization: OrganizationRecord): Promise<void> {
  const { world, client } = scene
  const { name } = organization
  const answer = await client.admin('default', 'GET', `/organizations/${name}`)
  const isKnown = world.organizations.some(({ id }) => id !== '' && id === answer.json?.id)
  if (answer.status === 200 && !isKnown) {
    organization.id = answer.json.id
    organization.state = 'live'
  } else organization.state = 'gone'
}

/** A name that nobody holds is given to who asks, and a name that is held is not. */
async function checkFreeNames(scene: Scene): Promise<void> {
  const { world, client } = scene
  const names = new Set(world.organizations.map(({ name }) => name))
  for (const name of names) {
    if (name === 'default') continue
    const isHeld = world.organizations.some((one) => one.name === name && one.state === 'live')
    let status = 0
    const missing = await until(async () => {
      const answer = await send(world, client, attempts.createOrganization(world, name))
      status = answer?.status ?? 0
      return isHeld || status !== 409 ? undefined : `the organization name ${name} stays claimed`
    })
    violate(scene, missing)
    if (isHeld && status !== 409) violate(scene, `the organization name ${name} was given twice`)
  }
}
