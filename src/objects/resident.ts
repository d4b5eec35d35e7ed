/** How objects are found: all through here, so that a jurisdiction can stand in one place. */
import { sha256Hex } from '../sealing/digest.ts'
import type { Directory, NameKind } from './directory.ts'

const SHARDS = 16

/** The Directory that knows a name: by the first hex digit of the name's hash. */
export function directoryOf(
  directories: DurableObjectNamespace<Directory>,
  kind: NameKind,
  name: string,
): DurableObjectStub<Directory> {
  return directories.getByName(`directory-${sha256Hex(`${kind}:${name}`).charAt(0)}`)
}

/** Every Directory, for the lists that go through all of them. */
export function allDirectories(
  directories: DurableObjectNamespace<Directory>,
): DurableObjectStub<Directory>[] {
  return Array.from({ length: SHARDS }, (_, n) =>
    directories.getByName(`directory-${n.toString(16)}`),
  )
}
