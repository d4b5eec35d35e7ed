/** Approvals as they are stored, made of definitions without a server. */
import {
  approvalHash,
  definitionHash,
  liveTools,
  type Approval,
  type LiveTool,
} from '../../src/catalog/approval.ts'

export type Definition = { name: string; inputSchema: object; [member: string]: unknown }

/** The tools of these definitions as they are offered. */
export function offered(...definitions: readonly object[]): Map<string, LiveTool> {
  return liveTools(definitions.map((definition) => JSON.stringify(definition)))
}

/** A definition approved as it was seen. */
export function approved(definition: Definition, members: Partial<Approval> = {}): Approval {
  return {
    tool: definition.name,
    policy: 'auto_approved',
    hash: approvalHash(definition),
    definition: JSON.stringify(definition),
    wholeHash: definitionHash(definition),
    ...members,
  }
}

/** An approval of which only the hash is known. */
export function approvedByHash(definition: Definition, members: Partial<Approval> = {}): Approval {
  return approved(definition, { definition: null, wholeHash: null, ...members })
}
