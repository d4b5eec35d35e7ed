/**
 * The part of Organization that is about who asks: members, agents and keys. A class of its own because
 * only methods of the object are reached over RPC, and one file of them all would be too long.
 */
import { DurableObject } from 'cloudflare:workers'
import { HttpError } from '../protocol/http-error.ts'
import {
  formatCredential,
  listKeys,
  refusePrincipal,
  requireKey,
  type Claimant,
  type KeyFilter,
  type Minted,
  type NewKey,
} from './organization/credentials.ts'
import type { Write } from './organization/context.ts'
import * as keys from './organization/key-commands.ts'
import { Life, type OrganizationBindings } from './organization/life.ts'
import * as principals from './organization/principal-commands.ts'
import {
  formatPrincipal,
  listPrincipals,
  requirePrincipal,
  type NewPrincipal,
  type PrincipalKind,
} from './organization/principals.ts'
import { versionOf } from './organization/publications.ts'
import { organizationId, organizationSettings } from './organization/record.ts'

export class OrganizationPeople extends DurableObject<OrganizationBindings> {
  protected readonly life = new Life(this.ctx, this.env)

  // Members and agents

  async createPrincipal(principal: NewPrincipal, write: Write) {
    return this.life.command((context) => principals.createPrincipal(context, principal, write))
  }

  async getPrincipal(kind: PrincipalKind, id: string) {
    return this.life.command(({ sql }) => requirePrincipal(sql, kind, id))
  }

  async listPrincipals(kind: PrincipalKind, after: string, limit: number) {
    return this.life.command(({ sql }) => listPrincipals(sql, kind, after, limit))
  }

  async patchPrincipal(
    kind: PrincipalKind,
    id: string,
    patch: principals.PrincipalPatch,
    write: Write,
  ) {
    return this.life.command((context) =>
      principals.patchPrincipal(context, kind, id, patch, write),
    )
  }

  async deletePrincipal(kind: PrincipalKind, id: string, write: Write) {
    return this.life.command((context) => principals.deletePrincipal(context, kind, id, write))
  }

  async openMemberSession(id: string, write: Write, person?: string) {
    return this.life.command((context) => principals.openMemberSession(context, id, write, person))
  }

  /** What a member is here, if it is that person; undefined for nobody who may come in. */
  async describeMembership(id: string, person?: string) {
    return this.life.command(({ sql }) => principals.describeMembership(sql, id, person))
  }

  /**
   * A principal as it is published, for who acts by this credential now, and the version of the gateway's
   * surface; undefined for nobody, 403 for who is suspended, or whose organization is.
   */
  async identify(caller: Claimant) {
    return this.life.command(({ sql, organization, now }) => {
      const refused = refusePrincipal(sql, caller, now)
      if (refused === 'invalid_api_key') return undefined
      if (refused !== undefined) throw new HttpError(403, refused, 'This principal is suspended')
      if (organizationSettings(sql).status === 'suspended') {
        throw new HttpError(403, 'org_suspended', 'This organization is suspended')
      }
      return {
        principal: formatPrincipal(sql, organization, caller.principal),
        surface: versionOf(sql, 'surface', organization),
      }
    })
  }

  // Keys

  async createKey(key: NewKey, write: Write, made?: NewPrincipal) {
    return this.life.command((context) => keys.createKey(context, key, write, made))
  }

  async rotateKey(id: string, minted: Minted, write: Write) {
    return this.life.command((context) => keys.rotate(context, id, minted, write))
  }

  async getKey(id: string) {
    return this.life.command(({ sql }) => requireKey(sql, id))
  }

  async listKeys(filter: KeyFilter, after: string, limit: number) {
    return this.life.command(({ sql }) => listKeys(sql, filter, after, limit))
  }

  async deleteKey(id: string, write: Write) {
    return this.life.command((context) => keys.deleteKey(context, id, write))
  }

  // What the edge asks

  /** The published form of a credential; undefined where this is no organization. */
  async credential(hash: string): Promise<string | undefined> {
    const organization = organizationId(this.life.sql)
    return organization === undefined
      ? undefined
      : formatCredential(this.life.sql, organization, hash)
  }

  /** The published form of a principal; undefined where this is no organization. */
  async principal(id: string): Promise<string | undefined> {
    const organization = organizationId(this.life.sql)
    return organization === undefined ? undefined : formatPrincipal(this.life.sql, organization, id)
  }
}
