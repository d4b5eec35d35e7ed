/** `manage__whoami`: who the caller is here, and by what (`surfaces.md` C36). */
import { valueOf } from '../../../protocol/http-error.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'

const text = { type: 'string' }

export const whoami: ManageTool = {
  operation: 'whoami',
  definition: {
    name: 'manage__whoami',
    description:
      'Says who is calling: the organization, the member or agent, its role and permissions, and the credential in use.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        organization: {
          type: 'object',
          properties: { id: text, name: text },
          required: ['id', 'name'],
        },
        principal: {
          type: 'object',
          properties: {
            id: text,
            kind: { enum: ['member', 'agent'] },
            name: text,
            role: { enum: ['owner', 'admin', 'member'] },
            permissions: { type: 'array', items: text },
          },
          required: ['id', 'kind', 'name', 'permissions'],
        },
        credential: {
          type: 'object',
          properties: {
            id: text,
            kind: { enum: ['member', 'agent', 'session', 'oauth'] },
            expiresAt: { type: ['string', 'null'], format: 'date-time' },
          },
          required: ['id', 'kind', 'expiresAt'],
        },
        environment: { type: ['string', 'null'] },
      },
      required: ['organization', 'principal', 'credential', 'environment'],
    },
    annotations: {
      title: 'Who am I',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async run({ site, stub }) {
    const { credential, principal } = site.caller
    const { id, name } = valueOf(await stub.describe())
    const known = valueOf(await stub.getPrincipal(principal.kind, principal.id))
    const { expiresAtMs } = credential
    return structuredResult({
      organization: { id, name },
      principal: {
        id: known.id,
        kind: known.kind,
        name: known.name,
        ...(known.role && { role: known.role }),
        permissions: known.permissions,
      },
      credential: {
        id: credential.id,
        kind: credential.kind,
        expiresAt: expiresAtMs === Infinity ? null : new Date(expiresAtMs).toISOString(),
      },
      environment: site.environment ?? null,
    })
  },
}
