/**
 * Organization: the truth about one organization, and the only writer of what KV says of it. Thin:
 * the rules stand in organization/. Every write is one transaction with its audit row, and leaves to
 * the alarm what must reach KV and the Directory; the alarm goes on until both hold the newest.
 *
 * Commands answer an `Outcome`, since an error's class does not cross RPC. One object an
 * organization, named by its id. Storage: organization/schema.ts.
 */
import { DurableObject } from 'cloudflare:workers'
import type { ParsedServerFile } from '../catalog/server-file.ts'
import type { SettingsPatch } from '../catalog/server.ts'
import type { ItemRecord } from '../catalog/item.ts'
import { encodeUtf8 } from '../protocol/bytes.ts'
import { outcomeOf, type Outcome } from '../protocol/http-error.ts'
import { SealKeys } from '../sealing/seal-keys.ts'
import type { Channel } from './channel.ts'
import type { Directory } from './directory.ts'
import { migrate } from './migrate.ts'
import { readAudit } from './organization/audit.ts'
import { Chores } from './organization/chores.ts'
import { Claims } from './organization/claims.ts'
import type { Context, Write } from './organization/context.ts'
import {
  formatCredential,
  isKeyLive,
  listKeys,
  requireKey,
  type NewKey,
} from './organization/credentials.ts'
import * as other from './organization/other-commands.ts'
import type { Place } from './organization/items.ts'
import { formatServer, formatServerAt } from './organization/publish.ts'
import { isGoing, organizationId, requireOrganization } from './organization/record.ts'
import { readRevisions } from './organization/revisions.ts'
import { STEPS } from './organization/schema.ts'
import { listSecrets } from './organization/secrets.ts'
import * as servers from './organization/server-commands.ts'
import { describeServer, findServer, listServers, requireServer } from './organization/servers.ts'
import * as tools from './organization/tool-commands.ts'

export type OrganizationBindings = {
  CATALOG: KVNamespace
  DIRECTORY: DurableObjectNamespace<Directory>
  CHANNEL: DurableObjectNamespace<Channel>
  SEAL_KEYS: string
}

export class Organization extends DurableObject<OrganizationBindings> {
  /** Whether nothing is stored, not even the tables. */
  #isEmpty = false
  readonly #claims = new Claims(this.ctx.storage, this.env.DIRECTORY, () => this.#schedule())
  readonly #keys = SealKeys.parse(this.env.SEAL_KEYS)
  readonly #chores = new Chores(this.ctx.storage, this.env, this.#claims, this.#keys)

  constructor(ctx: DurableObjectState, env: OrganizationBindings) {
    super(ctx, env)
    migrate(ctx.storage, STEPS)
    this.#schedule() // what a crash or a rotation of keys left to do
  }

  // Organization

  /** Makes this organization under a name, where it is not there yet. */
  async ensure(name: string, write: Write) {
    return outcomeOf(() =>
      organizationId(this.#sql) === undefined
        ? other.nameOrganization(this.#context(), name, write)
        : requireOrganization(this.#sql),
    )
  }

  /** Makes this organization, or renames it. */
  async nameAs(name: string, write: Write) {
    return outcomeOf(() => other.nameOrganization(this.#context(), name, write))
  }

  async describe() {
    return outcomeOf(() => requireOrganization(this.#sql))
  }

  async remove(write: Write) {
    return this.#command((context) => other.deleteOrganization(context, write))
  }

  async audit(before: number, limit: number) {
    return this.#command(({ sql }) => readAudit(sql, before, limit))
  }

  // Servers

  async listServers(after: string, limit: number) {
    return this.#command(({ sql }) => listServers(sql, after, limit))
  }

  async getServer(id: string) {
    return this.#command(({ sql }) => describeServer(sql, id))
  }

  async createServer(file: Uint8Array, write: Write) {
    return this.#command((context) => servers.createServer(context, unpack(file), write))
  }

  async importServer(file: Uint8Array, write: Write) {
    return this.#command((context) => servers.importServer(context, unpack(file), write))
  }

  async putServer(id: string, file: Uint8Array, write: Write) {
    return this.#command((context) => servers.putServer(context, id, unpack(file), write))
  }

  async patchServer(id: string, patch: SettingsPatch, write: Write) {
    return this.#command((context) => servers.patchServer(context, id, patch, write))
  }

  async deleteServer(id: string, write: Write) {
    return this.#command((context) => servers.deleteServer(context, id, write))
  }

  async duplicateServer(id: string, write: Write) {
    return this.#command((context) => servers.duplicateServer(context, id, write))
  }

  async exportServer(id: string, revision?: number) {
    return this.#command((context) => {
      const exported = servers.exportServer(context, id, revision)
      return { file: encodeUtf8(exported.file), revision: exported.revision }
    })
  }

  async revisions(id: string) {
    return this.#command(({ sql }) => {
      requireServer(sql, id)
      return readRevisions(sql, id)
    })
  }

  async rollbackServer(id: string, revision: number, write: Write) {
    return this.#command((context) => servers.rollbackServer(context, id, revision, write))
  }

  // Tools

  async listTools(server: string, after: Place, limit: number) {
    return this.#command((context) => tools.listTools(context, server, after, limit))
  }

  async getTool(server: string, name: string) {
    return this.#command((context) => tools.getTool(context, server, name))
  }

  async createTool(server: string, tool: ItemRecord, write: Write) {
    return this.#command((context) => tools.createTool(context, server, tool, write))
  }

  async putTool(server: string, tool: ItemRecord, write: Write) {
    return this.#command((context) => tools.putTool(context, server, tool, write))
  }

  async patchTool(
    server: string,
    name: string,
    patch: Readonly<Record<string, unknown>>,
    write: Write,
  ) {
    return this.#command((context) => tools.patchTool(context, server, name, patch, write))
  }

  async deleteTool(server: string, name: string, write: Write) {
    return this.#command((context) => tools.deleteTool(context, server, name, write))
  }

  async reorderTools(server: string, names: readonly string[], write: Write) {
    return this.#command((context) => tools.reorderTools(context, server, names, write))
  }

  // Keys and secrets

  async createKey(key: NewKey, write: Write) {
    return this.#command((context) => other.createKey(context, key, write))
  }

  async getKey(id: string) {
    return this.#command(({ sql }) => requireKey(sql, id))
  }

  async listKeys(server: string | undefined, after: string, limit: number) {
    return this.#command(({ sql }) => listKeys(sql, server, after, limit))
  }

  async deleteKey(id: string, write: Write) {
    return this.#command((context) => other.deleteKey(context, id, write))
  }

  async putSecret(name: string, value: string, write: Write) {
    return this.#command((context) => other.putSecret(context, this.#keys, name, value, write))
  }

  async listSecrets(after: string, limit: number) {
    return this.#command(({ sql }) => listSecrets(sql, after, limit))
  }

  async deleteSecret(name: string, write: Write) {
    return this.#command((context) => other.deleteSecret(context, name, write))
  }

  // What the edge asks

  /** The published form of a server as it stands; undefined for no such id. */
  async published(id: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const organization = organizationId(this.#sql)
    return organization === undefined ? undefined : formatServer(this.#sql, organization, id)?.bytes
  }

  /** The form a server had at a revision; undefined when that is not kept. */
  async publishedAt(id: string, revision: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const organization = organizationId(this.#sql)
    return organization === undefined
      ? undefined
      : formatServerAt(this.#sql, organization, id, revision)
  }

  /** The published form of a credential; undefined where this is no organization. */
  async credential(hash: string): Promise<string | undefined> {
    const organization = organizationId(this.#sql)
    return organization === undefined ? undefined : formatCredential(this.#sql, organization, hash)
  }

  /** The newest revision of a server, and whether a credential opens it now (`anonymous` does). */
  async check(id: string, credential: string): Promise<{ revision: number; credential: boolean }> {
    const { revision } = findServer(this.#sql, id)
    const isLive = credential === 'anonymous' || isKeyLive(this.#sql, credential, Date.now())
    return { revision, credential: isLive }
  }

  // Work that is left to the alarm

  override async alarm(): Promise<void> {
    try {
      await this.#chores.run(this.#id(), organizationId(this.#sql))
    } catch (error) {
      console.error('the alarm will try again', error)
      await this.ctx.storage.setAlarm(Date.now() + this.#chores.backOff())
      return
    }
    const isNothing = organizationId(this.#sql) === undefined || isGoing(this.#sql)
    if (this.#schedule() || !isNothing) return
    const deleted = this.ctx.storage.deleteAll()
    this.#isEmpty = true
    await deleted
  }

  /** The database, whose tables are made again for whoever comes after they went. */
  get #sql(): SqlStorage {
    if (this.#isEmpty) migrate(this.ctx.storage, STEPS)
    this.#isEmpty = false
    return this.ctx.storage.sql
  }

  /** Sets the alarm for what is left to do; false when nothing is. */
  #schedule(): boolean {
    const now = Date.now()
    const at = this.#chores.nextAt(now)
    if (at === undefined) return false
    this.ctx.waitUntil(this.ctx.storage.setAlarm(Math.max(now, at)))
    return true
  }

  async #command<T>(command: (context: Context) => T | Promise<T>): Promise<Outcome<T>> {
    return outcomeOf(() => {
      requireOrganization(this.#sql)
      return command(this.#context())
    })
  }

  #context(): Context {
    return {
      organization: this.#id(),
      sql: this.#sql,
      claims: this.#claims,
      now: Date.now(),
      transact: (write) => {
        const result = this.ctx.storage.transactionSync(write)
        this.#schedule()
        return result
      },
    }
  }

  #id(): string {
    const { name } = this.ctx.id
    if (name === undefined) throw new Error('an organization is found by name')
    return name
  }
}

/** A file that the Worker has read and checked; as bytes, since strings may cross RPC at twice the size. */
function unpack(file: Uint8Array): ParsedServerFile {
  return JSON.parse(new TextDecoder().decode(file)) as ParsedServerFile
}
