/**
 * The part of Organization that is about remote servers: what was read of them, what differs by
 * environment, what authorizes us there, and what a person said of their tools.
 */
import { Snapshot } from '../catalog/upstream.ts'
import type { ParsedServerFile } from '../catalog/server-file.ts'
import type { SettingsPatch } from '../catalog/server.ts'
import { OrganizationHeld } from './organization-held.ts'
import * as approvals from './organization/approval-commands.ts'
import * as configurations from './organization/configuration-commands.ts'
import * as connections from './organization/connection-commands.ts'
import type { ConnectionStatus } from './organization/connections.ts'
import type { Write } from './organization/context.ts'
import { findRemote, findSchema } from './organization/find-remote.ts'
import * as upstreams from './organization/upstream-commands.ts'
import * as variables from './organization/variable-commands.ts'
import type { VariableFilter } from './organization/variables.ts'

export class OrganizationRemotes extends OrganizationHeld {
  // Remote servers, as their Upstream objects read them

  /** Takes in what was read of a remote server: JSON of a `Snapshot`, at most 31 MiB. */
  async applySnapshot(server: string, snapshot: Uint8Array) {
    return this.life.command((context) => {
      const value: unknown = JSON.parse(new TextDecoder().decode(snapshot))
      return upstreams.applySnapshot(context, server, Snapshot.parse(value))
    })
  }

  /** Takes in that a remote server could not be read; `problem` is shown to operators. */
  async noteRefreshFailure(server: string, failure: { at: number; problem: string }) {
    return this.life.command((context) => upstreams.noteRefreshFailure(context, server, failure))
  }

  // What they are asked with

  /** The remote server behind a server in an environment, secrets sealed; undefined for any that has none. */
  async remote(id: string, environment: string) {
    return findRemote(this.life.sql, id, environment)
  }

  /** The input schema of a tool, by its name at the remote server, as it was read last. */
  async remoteSchema(id: string, tool: string): Promise<unknown> {
    return findSchema(this.life.sql, id, tool)
  }

  // Variables

  async createVariable(variable: variables.NewVariable, write: Write) {
    return this.life.command((context) => variables.createVariable(context, variable, write))
  }

  async getVariable(id: string) {
    return this.life.command((context) => variables.getVariable(context, id))
  }

  async listVariables(filter: VariableFilter, after: string, limit: number) {
    return this.life.command((context) => variables.readVariables(context, filter, after, limit))
  }

  async patchVariable(id: string, patch: variables.VariablePatch, write: Write) {
    return this.life.command((context) => variables.patchVariable(context, id, patch, write))
  }

  async deleteVariable(id: string, write: Write) {
    return this.life.command((context) => variables.deleteVariable(context, id, write))
  }

  // Auth connections

  async createConnection(connection: connections.NewConnection, write: Write) {
    return this.life.command((context) =>
      connections.createConnection(context, this.life.keys, connection, write),
    )
  }

  async getConnection(id: string) {
    return this.life.command((context) => connections.getConnection(context, id))
  }

  async listConnections(after: string, limit: number) {
    return this.life.command((context) => connections.readConnections(context, after, limit))
  }

  async patchConnection(id: string, patch: connections.ConnectionPatch, write: Write) {
    return this.life.command((context) =>
      connections.patchConnection(context, this.life.keys, id, patch, write),
    )
  }

  async deleteConnection(id: string, write: Write) {
    return this.life.command((context) => connections.deleteConnection(context, id, write))
  }

  /** Takes in whether a connection authorizes, as an Upstream found when it asked for a token. */
  async noteConnection(id: string, noted: { status: ConnectionStatus; detail?: string }) {
    return this.life.command((context) => connections.noteConnection(context, id, noted))
  }

  // Approvals

  /** What was said of the tools of a remote server, by their names there. */
  async approvals(server: string) {
    return this.life.command((context) => approvals.approvals(context, server))
  }

  /** Approves a tool in the definition that is given. */
  async approveTool(server: string, tool: approvals.ToolToApprove, write: Write) {
    return this.life.command((context) => approvals.approveTool(context, server, tool, write))
  }

  /** Takes the approval of a tool away; 404 where there is none. */
  async withdrawApproval(server: string, tool: string, write: Write) {
    return this.life.command((context) => approvals.withdrawApproval(context, server, tool, write))
  }

  /** Approves tools as they are offered at the revision that `write` names. */
  async approveLive(
    server: string,
    chosen: { tools: readonly approvals.LiveToApprove[] },
    write: Write,
  ) {
    return this.life.command((context) => approvals.approveLive(context, server, chosen, write))
  }

  /** Where what is offered differs from what was approved: JSON text of a `DriftAnswer`. */
  async drift(server: string) {
    return this.life.command((context) => approvals.drift(context, server))
  }

  /** The states of some tools, by their names at the remote server. */
  async toolStates(server: string, names: readonly string[]) {
    return this.life.command((context) => approvals.toolStates(context, server, names))
  }

  // Configurations

  /** Some configurations after a position, and where the next of them begin. */
  async listConfigurations(after: number) {
    return this.life.command((context) => configurations.pageOfConfigurations(context, after))
  }

  async getConfiguration(id: string) {
    return this.life.command((context) => configurations.getConfiguration(context, id))
  }

  /** Makes a remote server and its configuration; the file as in `createServer`. */
  async createConfiguration(file: Uint8Array, beside: configurations.Beside, write: Write) {
    return this.life.command((context) => {
      const parsed = JSON.parse(new TextDecoder().decode(file)) as ParsedServerFile
      return configurations.createConfiguration(context, parsed, beside, write)
    })
  }

  async patchConfiguration(
    id: string,
    change: { settings: SettingsPatch; extras: string },
    write: Write,
  ) {
    return this.life.command((context) =>
      configurations.patchConfiguration(context, id, change, write),
    )
  }

  /** Those of the secrets and connections that are not there. */
  async findMissing(referred: configurations.Referred) {
    return this.life.command((context) => configurations.findMissing(context, referred))
  }
}
