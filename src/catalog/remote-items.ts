/**
 * The items of a remote server: what it offers, as it was read or as a person approved it
 * (`surfaces.md` D19), with what the operator changed. A definition keeps every member that was not
 * changed, unknown ones too; the binding has the name or URI by which the remote server knows the
 * item. What is unfit to be listed is left out, with the reason.
 */
import type { McpHandler } from '../handlers/remote.ts'
import { encodeUtf8 } from '../protocol/bytes.ts'
import { isObject } from '../protocol/json-rpc.ts'
import type { Tool } from '../protocol/tool.ts'
import { approvedTools, type ApprovalRules } from './approved-tools.ts'
import { giveNames } from './given-names.ts'
import { KINDS, type ItemRecord, type Kind } from './item.ts'
import { FIRST_UNORDERED, type Overrides } from './overrides.ts'
import { MAX_PUBLISHED_BYTES } from './published.ts'
import { fitOriginals, isNameOfOurs, type Original } from './remote-definitions.ts'
import { withoutInputs } from './shown-inputs.ts'
import type { RemoteBinding } from './tool.ts'
import type { Left } from './upstream.ts'

const ENTRY_BYTES = 40 // of an item in the header of the published form

/** JSON texts of the definitions of each kind, in the remote server's order. */
export type RawLists = Readonly<Record<Kind, readonly string[]>>

const NO_WORD: ApprovalRules = { policy: 'auto_approve_all', approvals: [] }

/** The items of these lists with these overrides and approvals, and what of the lists is left out. */
export function remoteItems(
  raw: RawLists,
  overrides: Overrides,
  rules: ApprovalRules = NO_WORD,
): { items: ItemRecord[]; left: Left[] } {
  const left: Left[] = []
  const items: ItemRecord[] = []
  let bytes = 0
  for (const kind of KINDS) {
    const fit = fitOriginals(kind, raw[kind], left)
    const originals = kind === 'tools' ? approvedTools(fit, rules, left) : fit
    for (const item of itemsOf(kind, originals, overrides)) {
      const size = bytesOf(item)
      if (bytes + size > MAX_PUBLISHED_BYTES) {
        left.push({ name: item.name, reason: 'is beyond the size all items may have together' })
        continue
      }
      bytes += size
      items.push(item)
    }
  }
  return { items, left }
}

function itemsOf(kind: Kind, originals: readonly Original[], overrides: Overrides): ItemRecord[] {
  const renamed = kind === 'tools' ? renames(overrides) : new Map<string, string>()
  const names = giveNames(
    originals.map(({ name }) => name),
    renamed,
    (name) => isNameOfOurs(kind, name),
  )
  return originals.map((original, index): ItemRecord => {
    const name = names.get(original.name) ?? original.name
    const isChanged = kind === 'tools' && Object.hasOwn(overrides, original.name)
    const own = isChanged ? overrides[original.name] : undefined
    const {
      status = 'active',
      sortOrder,
      name: _,
      annotations,
      timeoutSeconds,
      inputs,
      ...members
    } = own ?? {}
    const changes = {
      ...(name !== original.name && { name }),
      ...members,
      ...(annotations && { annotations: annotated(original, annotations) }),
      ...(inputs && { inputSchema: withoutInputs(schemaOf(original), inputs) }),
    }
    const { asks, live } = original
    return {
      kind,
      name,
      status,
      sortOrder: sortOrder ?? FIRST_UNORDERED + index,
      definition:
        Object.keys(changes).length === 0
          ? original.text
          : JSON.stringify({ ...original.definition, ...changes }),
      binding: bindingOf(kind, original.name, {
        ...(asks && { asks }),
        ...(live && { live: inputs ? withoutInputs(live, inputs) : live }),
        ...(timeoutSeconds !== undefined && { timeoutSeconds }),
        ...(inputs && { inputs }),
      }),
    }
  })
}

function schemaOf({ definition }: Original): Tool['inputSchema'] {
  return (definition as Tool).inputSchema // overrides are of tools alone
}

function annotated({ definition }: Original, changes: object): object {
  const { annotations } = definition
  return { ...(isObject(annotations) && annotations), ...changes }
}

/** What serves an item of a remote server, by its name or URI there. */
function bindingOf(kind: Kind, original: string, rest: RemoteBinding): string {
  return JSON.stringify(
    kind === 'tools' ? { handler: { kind: 'mcp', name: original }, ...rest } : { remote: original },
  )
}

/** The name by which the remote server knows a tool of its. */
export function originalNameOf({ binding }: Pick<ItemRecord, 'binding'>): string {
  return (JSON.parse(binding) as { handler: McpHandler }).handler.name
}

/** The names that overrides give, by the names at the remote server. */
export function renames(overrides: Overrides): Map<string, string> {
  return new Map(
    Object.entries(overrides).flatMap(([original, { name }]) =>
      name === undefined ? [] : [[original, name] as const],
    ),
  )
}

function bytesOf({ name, definition, binding }: ItemRecord): number {
  const texts = [definition, binding, name, name]
  return texts.reduce((bytes, text) => bytes + encodeUtf8(text).length, ENTRY_BYTES)
}
