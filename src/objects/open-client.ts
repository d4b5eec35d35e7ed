/** An OAuth client as its token endpoint is to know it. */
import type { Client } from '../upstream/oauth/client.ts'
import type { World } from '../upstream/world.ts'
import type { Organization } from './organization.ts'

type Opening = {
  world: World
  organization: string
  stub: Pick<DurableObjectStub<Organization>, 'sealedSecret'>
}

/** The client with its secret, where that is one of the organization by name; as it is where none is. */
export async function openClient(
  { world, organization, stub }: Opening,
  client: Client,
): Promise<Client> {
  const { secretName: name } = client
  const sealed = name === undefined ? undefined : await stub.sealedSecret(name)
  if (name === undefined || sealed === undefined) return client
  const opened = await world.open(organization, { [name]: sealed })
  return { ...client, secret: opened.get(name) }
}
