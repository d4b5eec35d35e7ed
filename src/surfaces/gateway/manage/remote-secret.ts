/**
 * The credential of a remote server that was added here: one header, sealed as a secret of the
 * organization under a name of its own, which goes with the server.
 */
import { mintId } from '../../../catalog/names.ts'
import { secretsOf } from '../../../handlers/secret.ts'
import type { ServerRecord } from '../../../objects/organization/servers.ts'
import { valueOf } from '../../../protocol/http-error.ts'
import type { ManageCall } from './manage-tool.ts'

const OWN_NAME = /^remote_[0-9a-f]{20}$/
const PAGE_LIMIT = 1000

/** Seals the value of a header; how the remote server is authorized by it. */
export async function sealHeader(
  { stub, write }: ManageCall,
  { name, value }: { name: string; value: string },
): Promise<{ type: 'header'; name: string; value: { secret: string } }> {
  const secret = mintId('remote')
  valueOf(await stub.putSecret(secret, value, write))
  return { type: 'header', name, value: { secret } }
}

/** Deletes the secrets that were made for a server which is gone, where no copy of it has them. */
export async function dropSecretsOf(call: ManageCall, { settings }: ServerRecord): Promise<void> {
  const made = secretsOfRemote(settings).filter((name) => OWN_NAME.test(name))
  if (made.length === 0) return
  const used = await secretsInUse(call)
  for (const name of made) {
    if (!used.has(name)) valueOf(await call.stub.deleteSecret(name, call.write))
  }
}

/** The secrets that the remote servers of the organization are reached by. */
async function secretsInUse({ stub }: ManageCall): Promise<ReadonlySet<string>> {
  const used = new Set<string>()
  let after: string | undefined = ''
  while (after !== undefined) {
    const page: ServerRecord[] = valueOf(await stub.listServers(after, PAGE_LIMIT))
    for (const { settings } of page) {
      for (const name of secretsOfRemote(settings)) used.add(name)
    }
    after = page.length === PAGE_LIMIT ? page.at(-1)?.id : undefined
  }
  return used
}

function secretsOfRemote({ remote }: ServerRecord['settings']): string[] {
  return remote === undefined ? [] : secretsOf(remote)
}
