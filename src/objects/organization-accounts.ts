/**
 * The part of Organization that is about what there is for whom: settings, accounts, grants,
 * environments, and the gateway that is published of them. A class of its own because only methods of
 * the object are reached over RPC, and one file of them all would be too long.
 */
import type { EnvironmentEntry } from '../catalog/surface.ts'
import { OrganizationPeople } from './organization-people.ts'
import * as accounts from './organization/account-commands.ts'
import {
  listAccounts,
  requireAccount,
  toAccount,
  type AccountFilter,
} from './organization/account-rows.ts'
import { chooseForOperator } from './organization/authorize-call.ts'
import { describeConnectors, listSeenAccounts } from './organization/connectors.ts'
import type { Write } from './organization/context.ts'
import { listEnvironments, requireEnvironment } from './organization/environments.ts'
import * as grants from './organization/grant-commands.ts'
import { listGrants, requireGrant, type GrantFilter } from './organization/grants.ts'
import type { OrganizationStatus } from './organization/record.ts'
import type { Looking } from './organization/seen-accounts.ts'
import * as settings from './organization/settings-commands.ts'
import { formatSurface, readSurface } from './organization/surface.ts'
import { readUsage } from './organization/usage.ts'

export class OrganizationAccounts extends OrganizationPeople {
  // Settings

  async setStatus(status: OrganizationStatus, write: Write) {
    return this.life.command((context) => settings.setStatus(context, status, write))
  }

  async getSettings() {
    return this.life.command((context) => settings.readSettings(context))
  }

  async patchSettings(patch: settings.OrganizationSettingsPatch, write: Write) {
    return this.life.command((context) => settings.patchSettings(context, patch, write))
  }

  // Accounts

  async createAccount(account: accounts.NewAccount, write: Write) {
    return this.life.command((context) =>
      accounts.createAccount(context, this.life.keys, account, write),
    )
  }

  async getAccount(id: string) {
    return this.life.command(({ sql }) => toAccount(requireAccount(sql, id)))
  }

  async listAccounts(filter: AccountFilter, after: string, limit: number) {
    return this.life.command(({ sql }) => listAccounts(sql, filter, after, limit))
  }

  async patchAccount(id: string, patch: accounts.AccountPatch, write: Write) {
    return this.life.command((context) =>
      accounts.patchAccount(context, this.life.keys, id, patch, write),
    )
  }

  async deleteAccount(id: string, write: Write) {
    return this.life.command((context) => accounts.deleteAccount(context, id, write))
  }

  /** Every account that a principal sees, with its connector. */
  async accountsOf(looking: Looking) {
    return this.life.command(({ sql }) => listSeenAccounts(sql, looking))
  }

  // Grants and environments

  async createGrant(grant: grants.NewGrant, write: Write) {
    return this.life.command((context) => grants.createGrant(context, grant, write))
  }

  async getGrant(id: string) {
    return this.life.command(({ sql }) => requireGrant(sql, id))
  }

  async listGrants(filter: GrantFilter, after: string, limit: number) {
    return this.life.command(({ sql }) => listGrants(sql, filter, after, limit))
  }

  async deleteGrant(id: string, write: Write) {
    return this.life.command((context) => grants.deleteGrant(context, id, write))
  }

  async createEnvironment(name: string, entries: readonly EnvironmentEntry[], write: Write) {
    return this.life.command((context) =>
      grants.putEnvironment(context, name, entries, write, true),
    )
  }

  async putEnvironment(name: string, entries: readonly EnvironmentEntry[], write: Write) {
    return this.life.command((context) => grants.putEnvironment(context, name, entries, write))
  }

  async getEnvironment(name: string) {
    return this.life.command(({ sql }) => requireEnvironment(sql, name))
  }

  async listEnvironments(after: string, limit: number) {
    return this.life.command(({ sql }) => listEnvironments(sql, after, limit))
  }

  async deleteEnvironment(name: string, write: Write) {
    return this.life.command((context) => grants.deleteEnvironment(context, name, write))
  }

  // What the edge asks

  /** The published form of the gateway as it stands; undefined where this is no organization. */
  async publishedSurface(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return formatSurface(this.life.sql)?.bytes
  }

  /** What the gateway shows, without its tools, as it stands. */
  async describeSurface() {
    return this.life.command(({ sql }) => readSurface(sql))
  }

  /** The account of the organization that an operator tries a tool with, or why there is none. */
  async organizationAccount(server: string, tool: string, alias: string | undefined) {
    return this.life.command(({ sql }) => chooseForOperator(sql, server, { tool, alias }))
  }

  /** The connectors of the gateway as a principal has them; 404 for an unknown environment. */
  async describeConnectors(looking: Looking, environment?: string) {
    return this.life.command((context) => describeConnectors(context, looking, environment))
  }

  /** The calls of a credential in each month, newest first. */
  async usage(credential: string) {
    return this.life.command(({ sql }) => readUsage(sql, credential))
  }
}
