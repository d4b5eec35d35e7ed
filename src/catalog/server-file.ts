/**
 * The server file: one server with all that it offers, as JSON. It is what `PUT` applies, export
 * writes, import reads, and the samples are. An array's order is the sort order where none is given.
 */
import * as z from 'zod'
import type { Detail } from '../protocol/http-error.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { detailsOf, invalid } from './issues.ts'
import { formatItem, KINDS, readItem, type Form, type ItemRecord, type Kind } from './item.ts'
import { CAPABILITY_SEPARATOR, ServerId, slugify } from './names.ts'
import { PROMPT_FORM, PromptInput } from './prompt.ts'
import { RESOURCE_FORM, ResourceInput, ResourceTemplateInput, TEMPLATE_FORM } from './resource.ts'
import {
  hasHostedFace,
  isRemote,
  needsAccount,
  problemsOfSettings,
  ServerSettings,
  settled,
} from './server.ts'
import { needsCredential, TOOL_FORM, ToolInput, usesSecret } from './tool.ts'

export const MAX_TOOLS = 20_000
const MAX_OTHERS = 5000
const MAX_TEMPLATES = 200 // a URI is matched against each

/** How many items of each kind a server may have. */
export const LIMITS: Readonly<Record<Kind, number>> = {
  tools: MAX_TOOLS,
  prompts: MAX_OTHERS,
  resources: MAX_OTHERS,
  resourceTemplates: MAX_TEMPLATES,
}

const FORMS: Readonly<Record<Kind, Form>> = {
  tools: TOOL_FORM,
  prompts: PROMPT_FORM,
  resources: RESOURCE_FORM,
  resourceTemplates: TEMPLATE_FORM,
}

export const ServerFile = z.strictObject({
  id: ServerId.optional(),
  ...ServerSettings.shape,
  slug: ServerSettings.shape.slug
    .optional()
    .meta({ description: 'Made from the name where absent' }),
  tools: z.array(ToolInput).max(MAX_TOOLS).optional(),
  prompts: z.array(PromptInput).max(MAX_OTHERS).optional(),
  resources: z.array(ResourceInput).max(MAX_OTHERS).optional(),
  resourceTemplates: z.array(ResourceTemplateInput).max(MAX_TEMPLATES).optional(),
})

/** All but the items, which are read one by one: a file of 10,000 must not be checked twice. */
const Frame = ServerFile.extend({
  tools: z.array(z.unknown()).max(MAX_TOOLS).optional(),
  prompts: z.array(z.unknown()).max(MAX_OTHERS).optional(),
  resources: z.array(z.unknown()).max(MAX_OTHERS).optional(),
  resourceTemplates: z.array(z.unknown()).max(MAX_TEMPLATES).optional(),
})

export type ParsedServerFile = {
  id: string | undefined
  settings: ServerSettings
  /** Whether the slug was made from the name: one that is taken is then changed, not refused. */
  slugIsDerived: boolean
  items: ItemRecord[]
}

/** Reads a server file, or throws 422 naming every wrong field at once. */
export function parseServerFile(value: unknown): ParsedServerFile {
  const frame = Frame.safeParse(value, { reportInput: true })
  const details = frame.success ? [] : detailsOf(frame.error)
  const members = isObject(value) ? value : {}
  const ofRemote = members['kind'] === 'remote'
  const items = ofRemote ? [] : KINDS.flatMap((kind) => readItems(kind, members[kind], details))
  if (ofRemote) details.push(...itemsOfItsOwn(members))
  if (frame.success) details.push(...problemsOfSettings(frame.data))
  if (frame.success && frame.data.auth === 'none' && hasHostedFace(frame.data)) {
    const holder = items.find(({ binding }) => usesSecret(binding))
    if (holder !== undefined) details.push(openWithSecret(holder.name))
  }
  if (frame.success && !needsAccount(frame.data)) {
    const holder = items.find(({ binding }) => needsCredential(binding))
    if (holder !== undefined) details.push(needsAccountFor(holder.name))
  }
  if (frame.success && frame.data.gateway !== undefined) {
    details.push(...partedNames(members['tools']))
  }
  if (!frame.success || details.length > 0) throw invalid(details)
  const {
    id,
    tools: _,
    prompts: _p,
    resources: _r,
    resourceTemplates: _t,
    slug,
    ...settings
  } = frame.data
  return {
    id,
    settings: settled({ ...settings, slug: slug ?? slugify(settings.name) }),
    slugIsDerived: slug === undefined,
    items,
  }
}

/** Lists that stand in the file of a remote server, which has none of its own. */
function itemsOfItsOwn(members: Readonly<Record<string, unknown>>): Detail[] {
  return KINDS.filter((kind) => {
    const list = members[kind]
    return Array.isArray(list) && list.length > 0
  }).map((path) => ({ path, message: 'come from the remote server' }))
}

/** Names that the gateway cannot show (`surfaces.md` D22). */
function partedNames(tools: unknown): Detail[] {
  return (Array.isArray(tools) ? tools : []).flatMap((tool: unknown, index) => {
    const name = isObject(tool) ? tool['name'] : undefined
    const isParted = typeof name === 'string' && name.includes(CAPABILITY_SEPARATOR)
    return isParted ? [{ path: `tools[${index}].name`, message: NO_SEPARATOR }] : []
  })
}

/** What is wrong with a server open to all that would spend a secret for anybody. */
export function openWithSecret(tool: string): Detail {
  return { path: 'auth', message: `must be key or oauth while the tool ${tool} uses a secret` }
}

/** What is wrong with a server without accounts whose tool refers to one. */
export function needsAccountFor(tool: string): Detail {
  return { path: 'account', message: `must be required: the tool ${tool} refers to the account` }
}

/** What is wrong with the name of a hosted tool that the gateway would show (`surfaces.md` D22). */
export const NO_SEPARATOR = `must have no "${CAPABILITY_SEPARATOR}": the server is on the gateway`

/** The items of one kind; what is wrong with them goes to `details`. */
function readItems(kind: Kind, values: unknown, details: Detail[]): ItemRecord[] {
  const form = FORMS[kind]
  const records: ItemRecord[] = []
  const names = new Set<string>()
  for (const [index, value] of (Array.isArray(values)
    ? values.slice(0, LIMITS[kind])
    : []
  ).entries()) {
    const at = `${kind}[${index}]`
    const read = readItem(form, value, at)
    details.push(...read.details)
    if (read.record === undefined) continue
    const { name } = read.record
    if (names.has(name)) {
      details.push({ path: `${at}.${form.name}`, message: `"${name}" stands twice` })
    }
    names.add(name)
    records.push({ ...read.record, sortOrder: read.record.sortOrder ?? index })
  }
  return records
}

/** The text of a server file, from what is stored; items of each kind in sort order, none of a remote one. */
export function formatServerFile(
  id: string | undefined,
  settings: ServerSettings,
  items: readonly ItemRecord[],
): string {
  const head = JSON.stringify({ id, ...settings })
  if (isRemote(settings)) return head
  const lists = KINDS.flatMap((kind) => {
    const texts = items
      .filter((item) => item.kind === kind)
      .map((item, index) => formatItem(item, item.sortOrder === index))
    return texts.length === 0 && kind !== 'tools' ? [] : [`"${kind}":[${texts.join(',')}]`]
  })
  return `${head.slice(0, -1)},${lists.join(',')}}`
}
