/**
 * Organization: the truth about one organization, and the only writer of what KV says of it. Thin:
 * the rules stand in organization/. Every write is one transaction with its audit row, and leaves to
 * the alarm what must reach KV and the Directory; the alarm goes on until both hold the newest. What
 * is about people and keys stands in organization-people.ts, what is about accounts and the gateway in
 * organization-accounts.ts, what is about connecting accounts in organization-connects.ts, what is about
 * calls in organization-held.ts, what is about remote servers in organization-remotes.ts.
 *
 * Commands answer an `Outcome`, since an error's class does not cross RPC. One object an
 * organization, named by its id (resident.ts). Storage: organization/schema.ts.
 */
import type { ParsedServerFile } from '../catalog/server-file.ts'
import type { SettingsPatch } from '../catalog/server.ts'
import type { ItemRecord } from '../catalog/item.ts'
import { encodeUtf8 } from '../protocol/bytes.ts'
import { outcomeOf } from '../protocol/http-error.ts'
import { OrganizationRemotes } from './organization-remotes.ts'
import { readAudit } from './organization/audit.ts'
import {
  deleteCalls,
  readCalls,
  writeCalls,
  type CallFilter,
  type CallPlace,
} from './organization/calls.ts'
import type { Write } from './organization/context.ts'
import { isCallerLive } from './organization/credentials.ts'
import * as other from './organization/other-commands.ts'
import type { Place } from './organization/items.ts'
import type { PublicationKind } from './organization/publications.ts'
import { formatServer, formatServerAt } from './organization/publish.ts'
import { organizationId, requireOrganization } from './organization/record.ts'
import { readRevisions } from './organization/revisions.ts'
import * as secrets from './organization/secret-commands.ts'
import { findSealed, listSecrets } from './organization/secrets.ts'
import * as servers from './organization/server-commands.ts'
import { describeServer, findServer, listServers, requireServer } from './organization/servers.ts'
import * as tools from './organization/tool-commands.ts'
import { allTools, formatOffered } from './organization/tools.ts'

export class Organization extends OrganizationRemotes {
  // Organization

  /** Makes this organization of an id under a name, where it is not there yet. */
  async ensure(id: string, name: string, write: Write) {
    return outcomeOf(() =>
      organizationId(this.life.sql) === undefined
        ? other.nameOrganization(this.life.contextOf(id), name, write)
        : requireOrganization(this.life.sql),
    )
  }

  /** Makes this organization of an id, or renames it. */
  async nameAs(id: string, name: string, write: Write) {
    return outcomeOf(() => other.nameOrganization(this.life.contextOf(id), name, write))
  }

  async describe() {
    return outcomeOf(() => requireOrganization(this.life.sql))
  }

  async remove(write: Write) {
    return this.life.command((context) => other.deleteOrganization(context, write))
  }

  async sendFeedback(message: string, write: Write) {
    return this.life.command((context) => other.sendFeedback(context, message, write))
  }

  async audit(before: number, limit: number) {
    return this.life.command(({ sql }) => readAudit(sql, before, limit))
  }

  // Servers

  async listServers(after: string, limit: number, which: 'all' | 'remote' = 'all') {
    return this.life.command(({ sql }) => listServers(sql, after, limit, which))
  }

  async getServer(id: string) {
    return this.life.command(({ sql }) => describeServer(sql, id))
  }

  async createServer(file: Uint8Array, write: Write) {
    return this.life.command((context) => servers.createServer(context, unpack(file), write))
  }

  async importServer(file: Uint8Array, write: Write) {
    return this.life.command((context) => servers.importServer(context, unpack(file), write))
  }

  async putServer(id: string, file: Uint8Array, write: Write) {
    return this.life.command((context) => servers.putServer(context, id, unpack(file), write))
  }

  /** The server file after `putServer`, or after `createServer` without an id; nothing is written. */
  async rehearseFile(id: string | undefined, file: Uint8Array, write: Write) {
    return this.life.command(async (context) =>
      encodeUtf8(await servers.rehearseFile(context, id, unpack(file), write)),
    )
  }

  async patchServer(id: string, patch: SettingsPatch, write: Write) {
    return this.life.command((context) => servers.patchServer(context, id, patch, write))
  }

  async deleteServer(id: string, write: Write) {
    return this.life.command((context) => servers.deleteServer(context, id, write))
  }

  async duplicateServer(id: string, write: Write) {
    return this.life.command((context) => servers.duplicateServer(context, id, write))
  }

  async exportServer(id: string, revision?: number) {
    return this.life.command((context) => {
      const exported = servers.exportServer(context, id, revision)
      return { file: encodeUtf8(exported.file), revision: exported.revision }
    })
  }

  async revisions(id: string) {
    return this.life.command(({ sql }) => {
      requireServer(sql, id)
      return readRevisions(sql, id)
    })
  }

  async rollbackServer(id: string, revision: number, write: Write) {
    return this.life.command((context) => servers.rollbackServer(context, id, revision, write))
  }

  /** The tools of a server with what decides who sees them: JSON `[{name,status,definition},…]`. */
  async offeredTools(id: string) {
    return this.life.command(({ sql }) => {
      const { auth } = requireServer(sql, id).settings
      return { auth, tools: encodeUtf8(formatOffered(allTools(sql, id))) }
    })
  }

  // Tools

  async listTools(server: string, after: Place, limit: number) {
    return this.life.command((context) => tools.listTools(context, server, after, limit))
  }

  async getTool(server: string, name: string) {
    return this.life.command((context) => tools.getTool(context, server, name))
  }

  async createTool(server: string, tool: ItemRecord, write: Write) {
    return this.life.command((context) => tools.createTool(context, server, tool, write))
  }

  async putTool(server: string, tool: ItemRecord, write: Write) {
    return this.life.command((context) => tools.putTool(context, server, tool, write))
  }

  async patchTool(
    server: string,
    name: string,
    patch: Readonly<Record<string, unknown>>,
    write: Write,
  ) {
    return this.life.command((context) => tools.patchTool(context, server, name, patch, write))
  }

  async deleteTool(server: string, name: string, write: Write) {
    return this.life.command((context) => tools.deleteTool(context, server, name, write))
  }

  async reorderTools(server: string, names: readonly string[], write: Write) {
    return this.life.command((context) => tools.reorderTools(context, server, names, write))
  }

  // Secrets

  async putSecret(name: string, value: string, write: Write) {
    return this.life.command((context) =>
      secrets.putSecret(context, this.life.keys, name, value, write),
    )
  }

  async createSecret(label: string, value: string, write: Write) {
    return this.life.command((context) =>
      secrets.createSecret(context, this.life.keys, { label, value }, write),
    )
  }

  async patchSecret(name: string, patch: secrets.SecretPatch, write: Write) {
    return this.life.command((context) =>
      secrets.patchSecret(context, this.life.keys, name, patch, write),
    )
  }

  async getSecret(name: string) {
    return this.life.command((context) => secrets.getSecret(context, name))
  }

  async listSecrets(after: string, limit: number) {
    return this.life.command(({ sql }) => listSecrets(sql, after, limit))
  }

  /** Secrets whose label begins with a text, with the remote servers that use them. */
  async usedSecrets(search: string, after: string, limit: number) {
    return this.life.command((context) => secrets.readSecrets(context, search, after, limit))
  }

  /** Deletes a secret; an `unused` one alone where the write says so. */
  async deleteSecret(name: string, write: Write & { unused?: boolean }) {
    return this.life.command((context) => secrets.deleteSecret(context, name, write))
  }

  // Calls

  /** Takes in a batch of the call log, the JSON of its entries; 404 where there is no organization to keep it. */
  async logCalls(entries: string, length: number) {
    return this.life.command(({ sql, now }) => writeCalls(sql, entries, length, now))
  }

  async listCalls(filter: CallFilter, before: CallPlace, limit: number) {
    return this.life.command((context) => readCalls(context, filter, before, limit))
  }

  async deleteCalls(filter: CallFilter, write: Write) {
    return this.life.command((context) => deleteCalls(context, filter, write))
  }

  // What the edge asks

  /** The published form of a server as it stands; undefined for no such id. */
  async published(id: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const organization = organizationId(this.life.sql)
    return organization === undefined
      ? undefined
      : formatServer(this.life.sql, organization, id)?.bytes
  }

  /** The form a server had at a revision; undefined when that is not kept. */
  async publishedAt(id: string, revision: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const organization = organizationId(this.life.sql)
    return organization === undefined
      ? undefined
      : formatServerAt(this.life.sql, organization, id, revision)
  }

  /** Has a value put in KV again, since what stands there does not open. */
  async publishAgain(kind: PublicationKind, name: string): Promise<void> {
    this.life.publishAgain({ kind, name })
  }

  /** A secret as it is stored, sealed; undefined for none of that name. */
  async sealedSecret(name: string): Promise<string | undefined> {
    return findSealed(this.life.sql, name)
  }

  /** The newest revision of a server, and whether a caller may come in now (`anonymous` may). */
  async check(id: string, caller: { id: string; person?: string | undefined }) {
    const { revision } = findServer(this.life.sql, id)
    return { revision, credential: isCallerLive(this.life.sql, caller, Date.now()) }
  }

  override async alarm(): Promise<void> {
    return this.life.alarm()
  }
}

/** A file that the Worker has read and checked; as bytes, since strings may cross RPC at twice the size. */
function unpack(file: Uint8Array): ParsedServerFile {
  return JSON.parse(new TextDecoder().decode(file)) as ParsedServerFile
}
