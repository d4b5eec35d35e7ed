/** Which items of a remote list are fit to be kept, and why one is not (`mcp-protocol.md` §8.3). */
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { isDeeperThan, MAX_DEPTH } from '../../protocol/json-depth.ts'
import { isObject } from '../../protocol/json-rpc.ts'
import { findParamHeaders } from '../../protocol/param-headers.ts'

export type ListedKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

const MAX_DEFINITION_BYTES = 1024 * 1024
const MAX_SCHEMA_BYTES = 256 * 1024
const MAX_NAME_LENGTH = 128

/** The member that tells the items of a list apart. */
const KEYS: Readonly<Record<ListedKind, string>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
}

export type Judged = { name: string; bytes: number } & (
  | { key: string; item: Record<string, unknown> }
  | { reason: string }
)

/** An item's key and size, or the reason to leave it out; `hasHeaders`: `x-mcp-header` has a meaning. */
export function judgeItem(
  kind: ListedKind,
  item: unknown,
  index: number,
  hasHeaders: boolean,
): Judged {
  const nameless = { name: `#${index}`, bytes: 0 }
  if (!isObject(item)) return { ...nameless, reason: 'is no object' }
  const key = item[KEYS[kind]]
  if (typeof key !== 'string' || key === '') {
    return { ...nameless, reason: `has no ${KEYS[kind]}` }
  }
  const name = key.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_NAME_LENGTH)
  const unfit = (reason: string, bytes = 0) => ({ name, bytes, reason })
  // A schema may nest as deep as one of ours, and stands one below the item.
  if (isDeeperThan(item, MAX_DEPTH + 1)) return unfit(`nests deeper than ${MAX_DEPTH}`)
  const bytes = sizeOf(item)
  if (bytes > MAX_DEFINITION_BYTES) return unfit('is larger than 1 MiB', bytes)
  if (kind === 'tools') {
    const { inputSchema } = item
    if (!isObject(inputSchema)) return unfit('has no object as its inputSchema', bytes)
    if (bytes > MAX_SCHEMA_BYTES && sizeOf(inputSchema) > MAX_SCHEMA_BYTES) {
      return unfit('has an inputSchema larger than 256 KiB', bytes)
    }
    const [problem] = hasHeaders ? findParamHeaders(inputSchema).problems : []
    if (problem !== undefined) return unfit(`${problem.path} ${problem.message}`, bytes)
  }
  return { name, bytes, key, item }
}

function sizeOf(value: object): number {
  return encodeUtf8(JSON.stringify(value)).length
}
