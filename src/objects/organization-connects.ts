/**
 * The part of Organization that is about connecting accounts by links, and about tokens that end. A
 * class of its own because only methods of the object are reached over RPC, and one file of them all
 * would be too long.
 */
import type { AccountCredential } from '../handlers/account-credential.ts'
import { OrganizationAccounts } from './organization-accounts.ts'
import * as leases from './organization/account-lease.ts'
import * as connects from './organization/connect-commands.ts'
import { requireConnect, toConnect } from './organization/connects.ts'
import type { Write } from './organization/context.ts'
import { findClient, forgetClient, keepClient } from './organization/oauth-clients.ts'

export class OrganizationConnects extends OrganizationAccounts {
  // Connects

  async createConnect(wish: connects.ConnectWish, write: Write) {
    return this.life.command((context) => connects.createConnect(context, wish, write))
  }

  async getConnect(id: string) {
    return this.life.command(({ sql, now }) => toConnect(requireConnect(sql, id), now))
  }

  /** A connect with all that its page says. */
  async describeConnect(id: string) {
    return this.life.command((context) => connects.describeConnect(context, id))
  }

  /** Begins in a browser, by its hash; `nonce` is that of the state, `sealed` what it needs to go on. */
  async startConnect(
    id: string,
    begun: { browser: string; nonce: string | null; sealed: string | null },
  ) {
    return this.life.command((context) => connects.startConnect(context, id, begun))
  }

  /** What was kept for a browser that has come back with a nonce, once. */
  async takeConnect(id: string, back: { browser: string; nonce: string }) {
    return this.life.command((context) => connects.takeConnect(context, id, back))
  }

  /** Writes the account, or connects it again. */
  async finishConnect(id: string, done: { browser: string; credential: AccountCredential }) {
    return this.life.command((context) => connects.finishConnect(context, this.life.keys, id, done))
  }

  async failConnect(id: string, failed: { browser: string; problem: string }) {
    return this.life.command((context) => connects.failConnect(context, id, failed))
  }

  // Clients at authorization servers

  /** A client that was registered, sealed; undefined for none. */
  async findClient(id: string): Promise<string | undefined> {
    return findClient(this.life.sql, id, Date.now())
  }

  async keepClient(client: { id: string; sealed: string; endsAtMs: number | undefined }) {
    return this.life.command(({ sql, now }) => keepClient(sql, client, now))
  }

  async forgetClient(id: string): Promise<void> {
    forgetClient(this.life.sql, id)
  }

  // Tokens

  /** The lease of an account to refresh its token, while its credential is the one that was seen. */
  async leaseAccount(id: string, seen: string) {
    return this.life.command((context) => leases.leaseAccount(context, id, seen))
  }

  async writeRefreshed(refreshed: { id: string; lease: string; credential: AccountCredential }) {
    return this.life.command((context) => leases.writeRefreshed(context, this.life.keys, refreshed))
  }

  /** Gives a lease back; `isRefused`: the account must be connected again. */
  async endLease(id: string, lease: string, isRefused: boolean) {
    return this.life.command((context) => leases.endLease(context, id, lease, isRefused))
  }
}
