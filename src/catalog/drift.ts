/**
 * Where the definitions that a remote server offers now differ from those a person approved
 * (`surfaces.md` D18), and what is offered that nobody approved. Texts are cut and lists are bounded:
 * a remote server decides what stands in them.
 */
import * as z from 'zod'
import { pointerToken } from '../protocol/json-pointer.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { canonicalJson } from '../sealing/canonical.ts'
import {
  ApprovalState,
  definitionHash,
  stateOf,
  ToolApprovalPolicy,
  type Approval,
  type LiveTool,
} from './approval.ts'
import { HiddenCharacters, hiddenCharacters } from './hidden-characters.ts'
import { compareSchemas, type Difference } from './schema-difference.ts'
import { ApprovalPolicy } from './server.ts'

const MAX_CHANGES = 100 // of one tool
const MAX_TOOLS = 500
const MAX_ALL_CHANGES = 2000 // the answer crosses RPC, which ends at 32 MiB
const MAX_VALUE_LENGTH = 500

type Members = Readonly<Record<string, unknown>>

const Change = z.strictObject({
  what: z
    .enum([
      'description',
      'title',
      'inputSchema',
      'outputSchema',
      'annotation',
      'other',
      'definition',
    ])
    .meta({ description: 'definition: only the hash of what was approved is known' }),
  path: z.string().meta({ description: 'JSON pointer into the definition' }),
  change: z.enum(['added', 'removed', 'narrowed', 'widened', 'changed']).meta({
    description: 'Of schemas: narrowed takes less than before, changed cannot be judged',
  }),
  from: z.string().optional().meta({ description: 'JSON of what was approved, cut where long' }),
  to: z.string().optional().meta({ description: 'JSON of what is offered, cut where long' }),
})
type Change = z.infer<typeof Change>

const UNKNOWN: Change = { what: 'definition', path: '', change: 'changed' }

const ToolDrift = z.strictObject({
  name: z.string().meta({ description: 'Its name at the remote server' }),
  drift: z.enum(['changed', 'gone', 'unapproved']),
  state: ApprovalState.optional().meta({
    description:
      'As convai has it, by description and input schema alone; absent of one that is gone',
  }),
  policy: ToolApprovalPolicy.optional(),
  changes: z.array(Change),
  truncated: z.boolean().meta({ description: `There are more than ${MAX_CHANGES} changes` }),
  hidden: z.array(HiddenCharacters).meta({
    description: 'Characters in what is offered that a reader does not see',
  }),
})
type ToolDrift = z.infer<typeof ToolDrift>

/** What a person looks at before approving. */
export const DriftAnswer = z.strictObject({
  revision: z.int().meta({ description: 'What to name when approving what is shown here' }),
  approvalPolicy: ApprovalPolicy,
  count: z.int().meta({ description: 'How many tools differ, listed or not' }),
  tools: z.array(ToolDrift).max(MAX_TOOLS),
})
export type DriftAnswer = z.infer<typeof DriftAnswer>

/** The tools that differ from what was approved, in the remote order, and then those that are gone. */
export function driftOf(
  live: ReadonlyMap<string, LiveTool>,
  approvals: readonly Approval[],
): Pick<DriftAnswer, 'count' | 'tools'> {
  const byTool = new Map(approvals.map((approval) => [approval.tool, approval]))
  const offered = [...live.values()].filter((tool) => isDrifted(byTool.get(tool.name), tool))
  const gone = approvals.filter(({ tool }) => !live.has(tool))
  const tools: ToolDrift[] = []
  let changes = 0
  for (const tool of offered.slice(0, MAX_TOOLS)) {
    const drift = describe(byTool.get(tool.name), tool)
    changes += drift.changes.length
    if (changes > MAX_ALL_CHANGES) break
    tools.push(drift)
  }
  tools.push(...gone.slice(0, MAX_TOOLS - tools.length).map(describeGone))
  return { count: offered.length + gone.length, tools }
}

/** Which approved tools differ, each with the hash of what is offered in its place; '' for nothing. */
export function driftedTools(
  live: ReadonlyMap<string, LiveTool>,
  approvals: readonly Approval[],
): Map<string, string> {
  return new Map(
    approvals.flatMap((approval) => {
      const { tool } = approval
      const now = live.get(tool)
      if (now === undefined) return [[tool, ''] as const]
      return isDrifted(approval, now) ? [[tool, definitionHash(now.definition)] as const] : []
    }),
  )
}

/** The typed differences of a definition from the approved one, up to a bound. */
export function changesOf(
  approved: Members,
  live: Members,
): { changes: Change[]; truncated: boolean } {
  const changes: Change[] = []
  let truncated = false
  const tellOf = (what: Change['what']) => (difference: Difference) => {
    truncated = changes.length === MAX_CHANGES
    if (!truncated) changes.push(changeOf(what, difference))
    return truncated
  }
  for (const name of new Set([...Object.keys(approved), ...Object.keys(live)])) {
    const [from, to] = [approved[name], live[name]]
    const path = `/${pointerToken(name)}`
    if (name === 'inputSchema' || name === 'outputSchema') {
      if (from === undefined || to === undefined) tellPlain(from, to, path, tellOf(name))
      else compareSchemas(from, to, path, tellOf(name))
    } else if (name === 'annotations' && isObject(from ?? {}) && isObject(to ?? {})) {
      compareAnnotations(from, to, path, tellOf('annotation'))
    } else {
      const what = name === 'description' || name === 'title' ? name : 'other'
      tellPlain(from, to, path, tellOf(what))
    }
  }
  return { changes, truncated }
}

function compareAnnotations(
  before: unknown,
  after: unknown,
  path: string,
  tell: (difference: Difference) => boolean,
): void {
  const [old, now] = [before, after].map((hints) => (isObject(hints) ? hints : {}))
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})])
  if (names.size === 0) tellPlain(before, after, path, tell)
  for (const name of names) {
    tellPlain(old?.[name], now?.[name], `${path}/${pointerToken(name)}`, tell)
  }
}

function tellPlain(
  from: unknown,
  to: unknown,
  path: string,
  tell: (difference: Difference) => boolean,
): void {
  if (from === undefined && to === undefined) return
  const change = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed'
  const isSame = change === 'changed' && canonicalJson(from) === canonicalJson(to)
  if (!isSame) tell({ path, change, from, to })
}

function changeOf(what: Change['what'], { path, change, from, to }: Difference): Change {
  return {
    what,
    path: cut(path),
    change,
    ...(from !== undefined && { from: cut(JSON.stringify(from)) }),
    ...(to !== undefined && { to: cut(JSON.stringify(to)) }),
  }
}

function cut(text: string): string {
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH - 1)}…`
}

/** By the whole definition where it was seen, else by what convai looks at. */
function isDrifted(approval: Approval | undefined, live: LiveTool): boolean {
  if (approval === undefined) return true
  if (approval.wholeHash !== null) return approval.wholeHash !== definitionHash(live.definition)
  return stateOf(approval, live) !== 'up_to_date'
}

function describe(approval: Approval | undefined, live: LiveTool): ToolDrift {
  const { name, definition } = live
  return {
    name: cut(name),
    drift: approval === undefined ? 'unapproved' : 'changed',
    state: stateOf(approval, live),
    ...(approval && { policy: approval.policy }),
    ...changesSince(approval, definition),
    hidden: hiddenCharacters(definition),
  }
}

function changesSince(approval: Approval | undefined, definition: Members) {
  if (approval === undefined) return { changes: [], truncated: false }
  const { definition: approved, wholeHash } = approval
  if (approved === null) return { changes: [UNKNOWN], truncated: false }
  return changesOf(
    JSON.parse(approved) as Members,
    wholeHash === null ? part(definition) : definition,
  )
}

/** What alone was approved, where the definition was never seen whole. */
function part({ name, description, inputSchema }: Members): Members {
  return { name, description, inputSchema }
}

function describeGone({ tool, policy }: Approval): ToolDrift {
  return { name: cut(tool), drift: 'gone', policy, changes: [], truncated: false, hidden: [] }
}
